import type { AgentServer } from "../client/agent-server.ts";
import { Aborted } from "../client/errors.ts";
import type { Assistant, Cron } from "../client/wire/agent-server.ts";
import type { DeclaredAssistant, DeclaredCron, DeclaredStoreItem } from "../declare/file/schema.ts";
import { contentMarker, isMarked, markedKey } from "./content-comparison.ts";
import {
  assistantIdOf,
  assistantSteps,
  type ContentChange,
  type ContentContext,
  type ContentOptions,
  type ContentStep,
  cronSteps,
  deletionOfAssistant,
  deletionOfCron,
  itemSteps,
} from "./content-steps.ts";

export type { ContentChange, ContentOptions } from "./content-steps.ts";

/** What a deployment declares for its agent server: assistants and crons by key, and items of the store. */
export interface AgentContent {
  assistants: Readonly<Record<string, DeclaredAssistant>>;
  crons: Readonly<Record<string, DeclaredCron>>;
  store: readonly DeclaredStoreItem[];
}

export interface ContentResult {
  changes: readonly ContentChange[];
  /** Made from a file earlier, no longer declared, kept without `prune`. */
  undeclared: readonly string[];
}

/** Whether a deployment declares anything for its agent server. Where it doesn't, only `prune` can change something. */
export function hasContent({ assistants, crons, store }: AgentContent): boolean {
  return Object.keys(assistants).length + Object.keys(crons).length + store.length > 0;
}

/**
 * What {@link applyAgentContent} would change. It only reads.
 * @throws {@link ConfigError} when an assistant has the id of one that no file made; the client's errors
 */
export async function planAgentContent(
  server: AgentServer,
  content: AgentContent,
  options: ContentOptions,
): Promise<ContentResult> {
  const { steps, undeclared } = await observe(server, content, options);
  return { changes: steps.map(({ change }) => change), undeclared };
}

/**
 * Brings the assistants, crons and store items of an agent server to their declared state. It sends only what differs, so
 * that a run that was interrupted is continued by the next, and leaves alone what no file made; store items, which
 * carry no marker, are written over and never deleted.
 * @throws as {@link planAgentContent}
 */
export async function applyAgentContent(
  server: AgentServer,
  content: AgentContent,
  options: ContentOptions,
): Promise<ContentResult> {
  const { onProgress } = options;
  const { steps, undeclared } = await observe(server, content, options);
  for (const { change, apply } of steps) {
    try {
      await apply();
    } catch (error) {
      const message = `The ${change.action} of ${change.kind} ${change.name} failed.`;
      if (!(error instanceof Aborted)) onProgress?.({ type: "warning", message });
      throw error;
    }
    onProgress?.({ type: "note", message: describe(change) });
  }
  return { changes: steps.map(({ change }) => change), undeclared };
}

const verbs = { create: "Created", update: "Changed", delete: "Deleted" } as const;

function describe({ kind, name, action, fields }: ContentChange): string {
  return `${verbs[action]} ${kind} ${name}${fields.length === 0 ? "" : `: ${fields.join(", ")}`}.`;
}

/**
 * Reads what files made and what this one declares. Assistants come before the crons that refer to them, and are deleted
 * after those.
 */
async function observe(
  server: AgentServer,
  content: AgentContent,
  options: ContentOptions,
): Promise<{ steps: ContentStep[]; undeclared: string[] }> {
  const { assistants, crons, store } = content;
  const { signal, prune = false } = options;
  const context: ContentContext = { server, options, assistants };
  const ours = <Item extends Assistant | Cron>(found: readonly Item[]) =>
    found
      .filter(({ metadata }) => isMarked(metadata))
      .sort((a, b) => markedKey(a.metadata).localeCompare(markedKey(b.metadata)));
  const markedAssistants = ours(await server.searchAssistants(contentMarker(), { signal }));
  const markedCrons = ours(await server.searchCrons(contentMarker(), { signal }));

  const steps: ContentStep[] = [];
  for (const [key, assistant] of Object.entries(assistants)) {
    steps.push(...(await assistantSteps(context, key, assistant, markedAssistants)));
  }
  for (const [key, cron] of Object.entries(crons)) steps.push(...cronSteps(context, key, cron, markedCrons));
  for (const item of store) steps.push(...(await itemSteps(context, item)));

  const ids = new Set(Object.keys(assistants).map((key) => assistantIdOf(key, context)));
  const undeclared = [
    ...markedCrons
      .filter(({ metadata }) => !Object.hasOwn(crons, markedKey(metadata)))
      .map((cron) => deletionOfCron(context, cron)),
    ...markedAssistants
      .filter(({ assistant_id: id }) => !ids.has(id))
      .map((assistant) => deletionOfAssistant(context, assistant)),
  ];
  if (prune) return { steps: [...steps, ...undeclared], undeclared: [] };
  return { steps, undeclared: undeclared.map(({ change }) => `${change.kind} ${change.name}`) };
}
