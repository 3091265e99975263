import type { AgentServer } from "../client/agent-server.ts";
import { ConfigError } from "../client/errors.ts";
import { isOutcomeUnknown, maxWriteAttempts, recheckDelaysMs } from "../client/retry.ts";
import { type Assistant, type Cron, uuidOfName } from "../client/wire/agent-server.ts";
import type { DeclaredAssistant, DeclaredCron, DeclaredStoreItem } from "../declare/file/schema.ts";
import type { StepOptions } from "../rollout/waiting.ts";
import { contentMarker, differingFields, fieldsOfCron, isMarked, markedKey, patchOf } from "./content-comparison.ts";

export interface ContentOptions extends StepOptions {
  deploymentId: string;
  /** Delete what a file made and this one no longer declares. @default false */
  prune?: boolean | undefined;
}

/** A change of an agent server's content. It names fields and never shows a value. */
export interface ContentChange {
  kind: "assistant" | "cron" | "store item";
  /** The key in the file; of an item, its namespace and key, joined by slashes. */
  name: string;
  action: "create" | "update" | "delete";
  /** Fields that differ; empty for create and delete. */
  fields: readonly string[];
}

/** A change with what applies it. */
export interface ContentStep {
  change: ContentChange;
  apply: () => Promise<void>;
}

/** What the steps of an agent server need. */
export interface ContentContext {
  server: AgentServer;
  options: ContentOptions;
  /** The declared assistants by their keys, to which crons may refer. */
  assistants: Readonly<Record<string, DeclaredAssistant>>;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The id of a declared assistant. One that isn't declared follows from the deployment and the key, so that a create whose
 * response was lost can be sent again.
 */
export function assistantIdOf(key: string, { assistants, options }: Omit<ContentContext, "server">): string {
  const declared = assistants[key]?.assistant_id;
  return declared?.toLowerCase() ?? uuidOfName(`graphdeploy/${options.deploymentId}/${key}`);
}

/** The steps that bring a declared assistant to its declared state. @throws {@link ConfigError} for a one that no file made */
export async function assistantSteps(
  context: ContentContext,
  key: string,
  declaredAssistant: DeclaredAssistant,
  marked: readonly Assistant[],
): Promise<ContentStep[]> {
  const { server, options } = context;
  const { signal } = options;
  const id = assistantIdOf(key, context);
  const { assistant_id: _, ...rest } = declaredAssistant;
  const declared = { ...rest, name: key, metadata: { ...rest.metadata, ...contentMarker(key) } };
  const differences = (observed: Assistant) => {
    if (isMarked(observed.metadata)) return differingFields(declared, observed);
    throw new ConfigError(
      `The agent server at ${server.url} has an assistant with the id ${id} that no declarative file made, so assistant ${key} wasn't applied.`,
      { path: `assistants.${key}`, hint: "Declare another assistant_id, or delete that assistant." },
    );
  };
  const update = (fields: string[]) => {
    let missing = fields;
    return sendUntilKnown(context, `the change of assistant ${key}`, {
      send: () => server.updateAssistant(id, patchOf(declared, missing), { signal }),
      async isDone() {
        const observed = await server.findAssistant(id, { signal });
        if (observed !== undefined) missing = differences(observed);
        return missing.length === 0;
      },
    });
  };
  const observed =
    marked.find(({ assistant_id }) => assistant_id === id) ?? (await server.findAssistant(id, { signal }));
  if (observed === undefined) {
    const change = { kind: "assistant", name: key, action: "create", fields: [] } as const;
    const create = async () => {
      const fields = differences(await server.ensureAssistant(id, declared, { signal }));
      if (fields.length > 0) await update(fields);
    };
    return [{ change, apply: create }];
  }
  const fields = differences(observed);
  if (fields.length === 0) return [];
  return [{ change: { kind: "assistant", name: key, action: "update", fields }, apply: () => update(fields) }];
}

/**
 * The steps that bring a declared cron to its declared state. A second cron with its marker, which a lost response may
 * have led to, is deleted.
 */
export function cronSteps(
  context: ContentContext,
  key: string,
  declaredCron: DeclaredCron,
  marked: readonly Cron[],
): ContentStep[] {
  const { server, options } = context;
  const { signal } = options;
  const marker = contentMarker(key);
  const reference = Object.hasOwn(context.assistants, declaredCron.assistant_id)
    ? assistantIdOf(declaredCron.assistant_id, context)
    : declaredCron.assistant_id;
  // The name of a graph stands for its default assistant.
  const assistantId = uuid.test(reference) ? reference.toLowerCase() : uuidOfName(reference);
  const declared = { ...declaredCron, assistant_id: assistantId, metadata: { ...declaredCron.metadata, ...marker } };
  const isThere = async () => (await server.searchCrons(marker, { signal })).some(isOurs);
  const isOurs = ({ metadata }: Cron) => isMarked(metadata) && markedKey(metadata) === key;
  const create = async () => {
    if (await isThere()) return;
    await sendUntilKnown(context, `the creation of cron ${key}`, {
      send: () => server.createCron({ ...declared, assistant_id: reference }, { signal }),
      isDone: isThere,
    });
  };
  const [observed, ...surplus] = marked
    .filter(isOurs)
    .sort((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at));
  if (observed === undefined) {
    return [{ change: { kind: "cron", name: key, action: "create", fields: [] }, apply: create }];
  }
  const deletions = surplus.map((cron) => deletionOfCron(context, cron));
  const fields = differingFields(declared, fieldsOfCron(observed));
  if (fields.length === 0) return deletions;
  const update = async () => {
    if (!fields.includes("assistant_id")) {
      return server.updateCron(observed.cron_id, patchOf(declared, fields), { signal });
    }
    // The assistant of a cron can't be changed.
    await server.deleteCron(observed.cron_id, { signal });
    await create();
  };
  return [...deletions, { change: { kind: "cron", name: key, action: "update", fields }, apply: update }];
}

/** The step that stores a declared item, if its value differs; the server shows neither its `index` nor its `ttl`. */
export async function itemSteps(
  { server, options: { signal } }: ContentContext,
  item: DeclaredStoreItem,
): Promise<ContentStep[]> {
  const observed = await server.findItem(item.namespace, item.key, { signal });
  const fields = observed === undefined ? [] : differingFields({ value: item.value }, observed);
  if (observed !== undefined && fields.length === 0) return [];
  const name = [...item.namespace, item.key].join("/");
  const action = observed === undefined ? "create" : "update";
  return [{ change: { kind: "store item", name, action, fields }, apply: () => server.putItem(item, { signal }) }];
}

export function deletionOfAssistant({ server, options }: ContentContext, assistant: Assistant): ContentStep {
  const { signal } = options;
  return {
    change: { kind: "assistant", name: markedKey(assistant.metadata), action: "delete", fields: [] },
    apply: () => server.deleteAssistant(assistant.assistant_id, { signal }),
  };
}

export function deletionOfCron({ server, options }: ContentContext, cron: Cron): ContentStep {
  const { signal } = options;
  return {
    change: { kind: "cron", name: markedKey(cron.metadata), action: "delete", fields: [] },
    apply: () => server.deleteCron(cron.cron_id, { signal }),
  };
}

/** Sends a write that can't be retried blindly, until its outcome is known. */
async function sendUntilKnown(
  { server, options: { signal, onProgress } }: ContentContext,
  what: string,
  { send, isDone }: { send: () => Promise<void>; isDone: () => Promise<boolean> },
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      if (!isOutcomeUnknown(error) || attempt >= maxWriteAttempts) throw error;
      const message = `There was no response to ${what}; checking whether it took effect.`;
      if (attempt === 1) onProgress?.({ type: "warning", message });
    }
    for (const delay of recheckDelaysMs) {
      await server.clock.sleep(delay, signal);
      if (await isDone()) return;
    }
  }
}
