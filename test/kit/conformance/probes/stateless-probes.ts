import { hello, type Prober } from "./prober.ts";

/** Information about the server, and its responses to unknown paths. */
export async function probeSystem({ record }: Prober): Promise<void> {
  await record("meta-ok", "GET", "/ok");
  await record("meta-ok-db", "GET", "/ok?check_db=1");
  await record("meta-info", "GET", "/info");
  await record("meta-metrics", "GET", "/metrics");
  await record("meta-metrics-json", "GET", "/metrics?format=json");
  await record("meta-docs", "GET", "/docs");
  await record("meta-openapi", "GET", "/openapi.json");
  await record("meta-root", "GET", "/");
  const version = { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "x", version: "1" } };
  const accept = { accept: "application/json, text/event-stream" };
  await record("mcp-init", "POST", "/mcp/", { jsonrpc: "2.0", id: 1, method: "initialize", params: version }, accept);
  await record("mcp-get", "GET", "/mcp/");
  const message = { role: "user", parts: [{ kind: "text", text: "hi" }], messageId: "m1" };
  await record("a2a-send", "POST", "/a2a/agent", {
    jsonrpc: "2.0",
    id: "1",
    method: "message/send",
    params: { message },
  });
  await record("a2a-card", "GET", "/.well-known/agent-card.json?assistant_id=agent");
  await record("cors-preflight", "OPTIONS", "/threads", undefined, {
    origin: "http://x.test",
    "access-control-request-method": "POST",
    "access-control-request-headers": "content-type,x-api-key",
  });
  await record("http-notfound", "GET", "/nope");
  await record("http-methodnotallowed", "PUT", "/threads", {});
}

const modes = [
  "values",
  "updates",
  "messages",
  "messages-tuple",
  "debug",
  "custom",
  "events",
  "tasks",
  "checkpoints",
  "tools",
];

/** Runs without a thread, in every stream mode. */
export async function probeStatelessRuns({ record }: Prober): Promise<void> {
  const stream = (name: string, body: object) => record(`runs-stream-${name}`, "POST", "/runs/stream", body);
  const agent = { assistant_id: "agent", input: hello };
  const value = { value: "a" };
  for (const mode of modes) await stream(mode, { ...agent, stream_mode: mode });
  await stream("default", agent);
  const many = ["values", "updates", "messages-tuple", "custom"];
  await stream("list", { ...agent, stream_mode: many });
  await stream("subgraphs-list", { ...agent, stream_mode: [...many, "debug"], stream_subgraphs: true });
  await stream("subgraphs-messages", { ...agent, stream_mode: ["messages"], stream_subgraphs: true });
  await stream("subgraphs-tasks-checkpoints", {
    ...agent,
    stream_mode: ["tasks", "checkpoints"],
    stream_subgraphs: true,
  });
  const tooly = { assistant_id: "tooly", input: { messages: [] } };
  await stream("tools-tooly", { ...tooly, stream_mode: ["tools", "updates", "custom"] });
  await stream("tooly-messages-tuple", { ...tooly, stream_mode: ["messages-tuple", "values"] });
  await stream("resumable", { ...agent, stream_mode: "updates", stream_resumable: true });
  await stream("error", { assistant_id: "fail", input: value, stream_mode: "values" });
  const trivial = { assistant_id: "trivial", input: value };
  await stream("keep", { ...trivial, on_completion: "keep" });
  await record("runs-wait", "POST", "/runs/wait", trivial);
  await record("runs-wait-slow", "POST", "/runs/wait", { assistant_id: "slow", input: { value: "a", n: 2500 } });
  await record("runs-wait-error", "POST", "/runs/wait", { assistant_id: "fail", input: value });
  await record("runs-create", "POST", "/runs", { ...trivial, metadata: { k: 1 } });
  await record("runs-batch", "POST", "/runs/batch", [trivial, { ...trivial, input: { value: "b" } }]);
  await record("runs-batch-empty", "POST", "/runs/batch", []);
}
