import { HttpError } from "../../http-error.ts";
import type { AgentHost } from "../agent-host.ts";
import { defaultAssistantId } from "../assistants/assistant-model.ts";
import type { Fields } from "../engine/graph.ts";
import type { AccessFilters } from "./access-filters.ts";
import type { AuthAction, AuthResource } from "./auth-handlers.ts";

/** The valid parts of a request. */
export interface Asked {
  params: Record<string, string>;
  query: Fields;
  body: unknown;
}

/** What a rule consults. */
export interface Access {
  host: AgentHost;
  filters: AccessFilters;
  identity: string;
  /** Asks the handlers, limits the request to what they permit, and returns the value as they have left it. */
  ask(resource: AuthResource, action: AuthAction, value: Fields): Promise<Fields>;
}

/** Asks the handlers about one operation, and returns what they have changed of the request. */
export type AccessRule = (asked: Asked, access: Access) => Promise<{ body?: unknown; query?: Fields } | undefined>;

/** Asks with the path's parameters. */
function byPath(resource: AuthResource, action: AuthAction): AccessRule {
  return async ({ params, query }, access) => {
    const { assistant_id: assistantId, ...others } = params;
    const named = assistantId === undefined ? {} : { assistant_id: assistantIdOf(access.host, assistantId) };
    const cancel = typeof query.action === "string" ? { action: query.action } : {};
    await access.ask(resource, action, { ...named, ...others, ...cancel });
    return undefined;
  };
}

/** Asks with the path's parameters and the body, whose metadata handlers may add to. */
function byBody(resource: AuthResource, action: AuthAction): AccessRule {
  return async ({ params, body }, access) => {
    const { metadata, ...fields } = body as Fields;
    const { assistant_id: assistantId, ...others } = params;
    const named =
      assistantId === undefined ? others : { ...others, assistant_id: assistantIdOf(access.host, assistantId) };
    return { body: await access.ask(resource, action, { ...fields, ...named, metadata: metadata ?? {} }) };
  };
}

function assistantIdOf({ graphs }: AgentHost, id: string): string {
  return graphs.has(id) ? defaultAssistantId(id) : id.toLowerCase();
}

/** Starting a run needs the thread's permission, and that to read the assistant. */
async function askToRun({ ask, host }: Access, threadId: string | undefined, body: Fields): Promise<Fields> {
  const { assistant_id: assistantId, metadata, multitask_strategy, if_not_exists, after_seconds, ...kwargs } = body;
  const asked = await ask("threads", "create_run", {
    thread_id: threadId ?? null,
    assistant_id: assistantIdOf(host, String(assistantId)),
    status: "pending",
    metadata: metadata ?? {},
    prevent_insert_if_inflight: multitask_strategy === "reject",
    multitask_strategy,
    if_not_exists,
    after_seconds,
    kwargs,
  });
  await ask("assistants", "read", { assistant_id: asked.assistant_id });
  return { ...asked, ...(asked.kwargs as Fields | undefined) };
}

const startRun: AccessRule = async ({ params, body }, access) => ({
  body: await askToRun(access, params.thread_id, body as Fields),
});

const createCron: AccessRule = async ({ params, body }, access) => {
  const { schedule, timezone, end_time, enabled, metadata, assistant_id, on_run_completed, ...payload } =
    body as Fields;
  const threadId = params.thread_id ?? null;
  const asked = await access.ask("crons", "create", {
    schedule,
    timezone,
    end_time,
    enabled,
    metadata: metadata ?? {},
    assistant_id: assistantIdOf(access.host, String(assistant_id)),
    on_run_completed,
    thread_id: threadId,
    user_id: access.identity,
    payload,
  });
  await askToRun(access, params.thread_id, { ...payload, assistant_id: asked.assistant_id });
  return { body: { ...(asked.payload as Fields | undefined), ...asked } };
};

const patchCron: AccessRule = async ({ params, body }, { ask }) => {
  const { schedule, timezone, end_time, enabled, metadata, on_run_completed, ...payload } = body as Fields;
  const fields = { schedule, timezone, end_time, enabled, on_run_completed };
  const asked = await ask("crons", "update", { ...fields, ...params, metadata: metadata ?? {}, payload });
  return { body: { ...(asked.payload as Fields | undefined), ...asked } };
};

const listThreads: AccessRule = async ({ query }, { ask }) => {
  const { metadata, ...rest } = query;
  const asked = await ask("threads", "search", { ...rest, metadata: objectIn(metadata) ?? {} });
  // What is no object stays as it is, for the operation to refuse.
  const isRefused = metadata !== undefined && !objectIn(metadata);
  return { query: { ...asked, metadata: isRefused ? metadata : JSON.stringify(asked.metadata) } };
};

function objectIn(json: unknown): Fields | undefined {
  if (typeof json !== "string") return undefined;
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
  } catch {
    return undefined;
  }
}

/** The tables that a truncation empties belong to everybody: who may see only a part of one may not empty it. */
const truncate: AccessRule = async ({ body }, { ask, filters }) => {
  const chosen = body as Record<string, boolean>;
  const resources: [AuthResource, boolean | undefined][] = [
    ["threads", chosen.threads || chosen.runs || chosen.checkpointer],
    ["assistants", chosen.assistants],
    ["store", chosen.store],
  ];
  for (const [resource, isChosen] of resources) {
    if (!isChosen) continue;
    await ask(resource, "delete", {});
    if (filters.isLimited(resource)) throw new HttpError(403, `This user may delete only some of the ${resource}.`);
  }
  return undefined;
};

const needsUserOnly: AccessRule = async () => undefined;
const readThread = byPath("threads", "read");
const updateThread = byPath("threads", "update");
const readAssistant = byPath("assistants", "read");

/** What each operation asks the auth handlers for, by the operation's id. */
export const accessRules: Readonly<Record<string, AccessRule>> = {
  create_assistant: byBody("assistants", "create"),
  search_assistants: byBody("assistants", "search"),
  count_assistants: byBody("assistants", "search"),
  get_assistant: readAssistant,
  patch_assistant: byBody("assistants", "update"),
  async delete_assistant(asked, access) {
    await byPath("assistants", "delete")(asked, access);
    if (asked.query.delete_threads) await access.ask("threads", "delete", {});
    return undefined;
  },
  get_assistant_graph: readAssistant,
  get_assistant_schemas: readAssistant,
  get_assistant_subgraphs: readAssistant,
  get_assistant_subgraph: readAssistant,
  get_assistant_versions: readAssistant,
  async set_latest_assistant_version({ params, query, body }, { host, ask }) {
    const version = (body as Fields).version ?? query.version;
    const assistantId = assistantIdOf(host, params.assistant_id as string);
    return { body: await ask("assistants", "update", { assistant_id: assistantId, version }) };
  },
  create_thread: byBody("threads", "create"),
  list_threads: listThreads,
  search_threads: byBody("threads", "search"),
  count_threads: byBody("threads", "search"),
  async prune_threads({ body }, { ask }) {
    const { thread_ids: ids, strategy } = body as { thread_ids: string[]; strategy: string };
    for (const id of ids) await ask("threads", strategy === "delete" ? "delete" : "update", { thread_id: id });
    return undefined;
  },
  get_thread: readThread,
  patch_thread: byBody("threads", "update"),
  delete_thread: byPath("threads", "delete"),
  async copy_thread({ params }, { ask, filters }) {
    await ask("threads", "read", { ...params });
    const { metadata } = await ask("threads", "create", { metadata: {} });
    filters.copiedMetadata = (metadata ?? {}) as Fields;
    return undefined;
  },
  get_thread_state: readThread,
  update_thread_state: updateThread,
  patch_thread_state: updateThread,
  get_thread_state_at_checkpoint: readThread,
  post_thread_state_at_checkpoint: readThread,
  get_thread_history: readThread,
  post_thread_history: readThread,
  join_thread_stream: readThread,
  list_runs: readThread,
  create_run: startRun,
  stream_run: startRun,
  wait_run: startRun,
  get_run: readThread,
  delete_run: byPath("threads", "delete"),
  join_run: readThread,
  join_run_stream: readThread,
  cancel_run: updateThread,
  async cancel_runs({ query, body }, { ask }) {
    const { thread_id: threadId = null } = body as Fields;
    await ask("threads", "update", { thread_id: threadId, action: query.action });
    return undefined;
  },
  create_stateless_run: startRun,
  stream_stateless_run: startRun,
  wait_stateless_run: startRun,
  async create_run_batch({ body }, access) {
    const bodies: Fields[] = [];
    for (const one of body as Fields[]) bodies.push(await askToRun(access, undefined, one));
    return { body: bodies };
  },
  async join_stateless_run_stream({ params }, { ask, host }) {
    const run = host.state.runs.get(params.run_id as string);
    await ask("threads", "read", { thread_id: run?.thread_id ?? null });
    return undefined;
  },
  create_thread_cron: createCron,
  create_cron: createCron,
  search_crons: byBody("crons", "search"),
  count_crons: byBody("crons", "search"),
  get_cron: byPath("crons", "read"),
  patch_cron: patchCron,
  delete_cron: byPath("crons", "delete"),
  put_item: async ({ body }, { ask }) => ({ body: await ask("store", "put", { ...(body as Fields) }) }),
  async get_item({ query }, { ask }) {
    const { namespace, ...rest } = query;
    const labels = (namespace as string[]).flatMap((part) => part.split("."));
    return { query: await ask("store", "get", { ...rest, namespace: labels }) };
  },
  async delete_item({ body }, { ask }) {
    const { namespace, key } = body as Fields;
    return { body: await ask("store", "delete", { namespace: namespace ?? [], key }) };
  },
  async search_items({ body }, { ask }) {
    const { namespace_prefix: prefix, ...rest } = body as Fields;
    const asked = await ask("store", "search", { ...rest, namespace: prefix ?? [] });
    return { body: { ...asked, namespace_prefix: asked.namespace } };
  },
  async list_namespaces({ body }, { ask }) {
    const { prefix, ...rest } = body as Fields;
    const asked = await ask("store", "list_namespaces", { ...rest, namespace: prefix ?? [] });
    return { body: { ...asked, prefix: asked.namespace } };
  },
  health_check: needsUserOnly,
  server_info: needsUserOnly,
  system_metrics: needsUserOnly,
  truncate,
};
