import { hello, type Prober } from "./prober.ts";

const fixed = "11111111-1111-4111-8111-111111111111";

/** Threads without runs. @returns the id of one */
export async function probeThreads({ record }: Prober): Promise<string> {
  const { thread_id: id } = await record("threads-create", "POST", "/threads", { metadata: { k: "v" } });
  await record("threads-create-emptybody", "POST", "/threads");
  await record("threads-create-fixed", "POST", "/threads", { thread_id: fixed });
  await record("threads-create-dup", "POST", "/threads", { thread_id: fixed });
  await record("threads-create-dup-donothing", "POST", "/threads", { thread_id: fixed, if_exists: "do_nothing" });
  await record("threads-create-ttl", "POST", "/threads", { ttl: { strategy: "delete", ttl: 5 } });
  const supersteps = [
    { updates: [{ values: { value: "seed" }, as_node: "__input__" }] },
    { updates: [{ values: { value: "x" }, as_node: "one" }] },
  ];
  await record("threads-create-supersteps", "POST", "/threads", { metadata: { graph_id: "trivial" }, supersteps });
  await record("threads-get", "GET", `/threads/${id}`);
  await record("threads-patch", "PATCH", `/threads/${id}`, { metadata: { a: 1 } });
  await record("threads-state-empty", "GET", `/threads/${id}/state`);
  await record("threads-history-empty", "GET", `/threads/${id}/history`);
  await record("threads-state-update-nograph", "POST", `/threads/${id}/state`, { values: { foo: "x" } });
  const search = (name: string, body: object) => record(`threads-search${name}`, "POST", "/threads/search", body);
  await search("", { limit: 2 });
  await search("-all", {});
  await search("-none", { metadata: { zz: "none" } });
  await search("-select", { limit: 2, select: ["thread_id", "status"] });
  await search("-sort", { limit: 2, sort_by: "created_at", sort_order: "asc", offset: 1 });
  await record("threads-count", "POST", "/threads/count", {});
  return id;
}

const modes = ["values", "updates", "messages", "messages-tuple", "debug", "custom", "events", "tasks", "checkpoints"];

/** Runs on threads, and the states after them. */
export async function probeThreadRuns({ record, newThread }: Prober): Promise<void> {
  const stream = async (name: string, body: object, thread?: string) =>
    record(`thread-runs-stream-${name}`, "POST", `/threads/${thread ?? (await newThread())}/runs/stream`, body);
  const agent = { assistant_id: "agent", input: hello };
  for (const mode of modes) await stream(mode, { ...agent, stream_mode: [mode] });
  const thread = await newThread();
  const path = `/threads/${thread}`;
  const many = ["values", "updates", "messages-tuple", "custom"];
  await stream("subgraphs", { ...agent, stream_mode: many, stream_subgraphs: true }, thread);
  const { checkpoint } = await record("thread-state", "GET", `${path}/state`);
  await record("thread-state-subgraphs", "GET", `${path}/state?subgraphs=true`);
  await record("thread-state-at", "GET", `${path}/state/${checkpoint.checkpoint_id}`);
  await record("thread-state-checkpoint-post", "POST", `${path}/state/checkpoint`, {
    checkpoint: { checkpoint_id: checkpoint.checkpoint_id, checkpoint_ns: "" },
  });
  await record("thread-history", "GET", `${path}/history?limit=2`);
  await record("thread-history-post", "POST", `${path}/history`, { limit: 2, before: checkpoint.checkpoint_id });
  await record("thread-state-update", "POST", `${path}/state`, { values: { foo: "patched" }, as_node: "model" });
  await record("thread-state-after-update", "GET", `${path}/state`);
  await record("thread-copy", "POST", `${path}/copy`);
  await record("thread-get-after", "GET", path);
  const [{ run_id: run }] = await record("thread-runs-list", "GET", `${path}/runs?limit=5`);
  await record("thread-run-get", "GET", `${path}/runs/${run}`);
  await record("thread-run-join-done", "GET", `${path}/runs/${run}/join`);
  await record("thread-run-joinstream-done", "GET", `${path}/runs/${run}/stream`);
  await record("thread-run-cancel-done", "POST", `${path}/runs/${run}/cancel?wait=0`, {});

  const trivial = { assistant_id: "trivial", input: { value: "a" } };
  const fail = { assistant_id: "fail", input: { value: "a" } };
  await record("thread-runs-wait", "POST", `/threads/${await newThread()}/runs/wait`, trivial);
  await record("thread-runs-wait-error", "POST", `/threads/${await newThread()}/runs/wait`, fail);
  const failed = await newThread();
  await stream("error", fail, failed);
  await record("thread-get-after-error", "GET", `/threads/${failed}`);
  await record("thread-state-after-error", "GET", `/threads/${failed}/state`);
  const created = "/threads/22222222-2222-4222-8222-222222222222/runs/wait";
  await record("thread-runs-ifnotexists", "POST", created, { ...trivial, if_not_exists: "create" });
  await record("thread-runs-create", "POST", `/threads/${await newThread()}/runs`, {
    ...trivial,
    metadata: { m: 1 },
    config: { configurable: { x: 1 }, tags: ["t"], recursion_limit: 7 },
    webhook: "/ok",
  });
  const later = { ...trivial, after_seconds: 2 };
  await record("thread-runs-create-after", "POST", `/threads/${await newThread()}/runs`, later);
}
