import { type Prober, unknownId } from "./prober.ts";

/** Requests with unknown or invalid parts. `thread` is an existing thread, which they delete at the end. */
export async function probeErrors({ record }: Prober, thread: string): Promise<void> {
  const error = (name: string, method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    record(`err-${name}`, method, path, body, headers);
  await error("unknown-assistant", "POST", "/runs/wait", { assistant_id: "nope", input: {} });
  await error("unknown-assistant-stream", "POST", "/runs/stream", { assistant_id: "nope", input: {} });
  await error("unknown-assistant-uuid", "POST", "/runs/wait", { assistant_id: unknownId, input: {} });
  await error("get-assistant-unknown", "GET", `/assistants/${unknownId}`);
  await error("get-assistant-baduuid", "GET", "/assistants/not-a-uuid");
  const missing = `/threads/${unknownId}`;
  const run = { assistant_id: "agent", input: {} };
  await error("unknown-thread", "GET", missing);
  await error("unknown-thread-state", "GET", `${missing}/state`);
  await error("unknown-thread-history", "POST", `${missing}/history`, {});
  await error("unknown-thread-run", "POST", `${missing}/runs`, run);
  await error("unknown-thread-stream", "POST", `${missing}/runs/stream`, run);
  await error("unknown-thread-wait", "POST", `${missing}/runs/wait`, run);
  await error("unknown-thread-copy", "POST", `${missing}/copy`);
  await error("unknown-thread-delete", "DELETE", missing);
  await error("unknown-thread-patch", "PATCH", missing, { metadata: {} });
  const missingRun = `/threads/${thread}/runs/${unknownId}`;
  await error("unknown-run", "GET", missingRun);
  await error("unknown-run-join", "GET", `${missingRun}/join`);
  await error("unknown-run-joinstream", "GET", `${missingRun}/stream`);
  await error("unknown-run-cancel", "POST", `${missingRun}/cancel`, {});
  await error("unknown-run-delete", "DELETE", missingRun);
  await error("bad-uuid-thread", "GET", "/threads/not-a-uuid");
  await error("bad-uuid-state", "GET", "/threads/not-a-uuid/state");
  await error("bad-uuid-run", "GET", `/threads/${thread}/runs/not-a-uuid`);
  await error("bad-body-json", "POST", "/threads", "{bad");
  await error("bad-body-type", "POST", "/threads", { metadata: "str" });
  await error("bad-body-missing", "POST", "/runs/wait", { input: {} });
  await error("bad-stream-mode", "POST", "/runs/stream", { ...run, stream_mode: "nope" });
  await error("bad-limit", "POST", "/threads/search", { limit: 0 });
  await error("no-content-type", "POST", "/threads", {}, { "content-type": "" });
  await error("text-plain", "POST", "/threads", {}, { "content-type": "text/plain" });
  await error("assistant-nograph-graph", "GET", "/assistants/nograph/graph");
  await record("thread-delete", "DELETE", `/threads/${thread}`);
}
