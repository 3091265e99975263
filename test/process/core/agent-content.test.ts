import { expect, test } from "vitest";
import { AgentServer } from "../../../core/client/agent-server.ts";
import { applyAgentContent, hasContent, planAgentContent } from "../../../core/reconcile/agent-content.ts";
import type { ProgressEvent } from "../../../core/rollout/waiting.ts";
import { content, noContent, observedContent, startContentGround } from "../../kit/agent-content.ts";

test("content is created once, changed where it differs, and pruned on demand", async () => {
  await using ground = await startContentGround();
  const { options } = ground;

  const planned = await planAgentContent(ground.client(), content, options);
  expect(ground.writes()).toEqual([]);
  expect(planned.changes.map(({ action, kind, name }) => `${action} ${kind} ${name}`)).toEqual([
    "create assistant formal",
    "create assistant friendly",
    "create cron hourly",
    "create cron nightly",
    "create store item settings/limits/questions",
  ]);
  expect(await applyAgentContent(ground.client(), content, options)).toEqual(planned);
  expect(ground.writes()).toEqual([
    "POST /assistants 200",
    "POST /assistants 200",
    "POST /runs/crons 200",
    "POST /runs/crons 200",
    "PUT /store/items 204",
  ]);
  expect(await ground.observe()).toEqual(observedContent);

  expect(await applyAgentContent(ground.client(), content, options)).toEqual({ changes: [], undeclared: [] });
  expect(ground.writes()).toEqual([]);

  const changed = {
    assistants: { ...content.assistants, friendly: { graph_id: "agent", context: { tone: "warm-tone" } } },
    crons: { ...content.crons, nightly: { schedule: "0 4 * * *", assistant_id: "friendly" } },
    store: [{ namespace: ["settings", "limits"], key: "questions", value: { max: 6 } }],
  };
  const { changes } = await applyAgentContent(ground.client(), changed, options);
  expect(changes).toEqual([
    { kind: "assistant", name: "friendly", action: "update", fields: ["context"] },
    { kind: "cron", name: "nightly", action: "update", fields: ["schedule"] },
    { kind: "store item", name: "settings/limits/questions", action: "update", fields: ["value"] },
  ]);
  expect(ground.writes()).toEqual(["PATCH /assistants/<id> 200", "PATCH /runs/crons/<id> 200", "PUT /store/items 204"]);

  const rest = { assistants: { formal: { graph_id: "chat" } }, crons: {}, store: [] };
  expect(await applyAgentContent(ground.client(), rest, options)).toEqual({
    changes: [],
    undeclared: ["cron hourly", "cron nightly", "assistant friendly"],
  });
  expect(ground.writes()).toEqual([]);

  const pruned = await applyAgentContent(ground.client(), rest, { ...options, prune: true });
  expect(pruned.undeclared).toEqual([]);
  expect(ground.writes()).toEqual([
    "DELETE /runs/crons/<id> 200",
    "DELETE /runs/crons/<id> 200",
    "DELETE /assistants/<id> 200",
  ]);
  expect(await ground.observe()).toEqual({ assistants: ["formal: chat"], crons: [], items: [{ max: 6 }] });
});

test("crons refer to assistants by key, by id, or by the name of a graph, and move to another one", async () => {
  await using ground = await startContentGround();
  const assistants = { mine: { graph_id: "agent" } };
  const cron = (assistant_id: string) => ({
    assistants,
    crons: { nightly: { schedule: "0 3 * * *", assistant_id } },
    store: [],
  });
  await applyAgentContent(ground.client(), cron("mine"), ground.options);
  const [{ assistant_id: mine }] = (await ground.call("POST", "/assistants/search", { name: "mine" })).body;
  const [{ assistant_id: chat }] = (await ground.call("POST", "/assistants/search", { graph_id: "chat" })).body;
  const assistantOfCron = async () => (await ground.call("POST", "/runs/crons/search", {})).body[0].assistant_id;
  expect(await assistantOfCron()).toBe(mine);
  ground.writes();

  const { changes } = await applyAgentContent(ground.client(), cron("chat"), ground.options);
  expect(changes).toMatchObject([{ name: "nightly", action: "update", fields: ["assistant_id"] }]);
  expect(ground.writes()).toEqual(["DELETE /runs/crons/<id> 200", "POST /runs/crons 200"]);
  expect(await assistantOfCron()).toBe(chat);
  await applyAgentContent(ground.client(), cron(chat.toUpperCase()), ground.options);
  expect(ground.writes()).toEqual([]);
});

test("assistants and crons that no file created stay unchanged", async () => {
  await using ground = await startContentGround();
  const { options } = ground;
  await ground.call("POST", "/assistants", { graph_id: "agent", name: "friendly", metadata: { team: "sales" } });
  await ground.call("POST", "/runs/crons", { assistant_id: "agent", schedule: "1 1 * * *", metadata: {} });
  const foreign = await ground.observe();
  ground.writes();

  const declared = { ...content, store: [] };
  await applyAgentContent(ground.client(), declared, options);
  const changed = { ...declared, assistants: { friendly: { graph_id: "chat" } } };
  await applyAgentContent(ground.client(), changed, { ...options, prune: true });
  await applyAgentContent(ground.client(), noContent, { ...options, prune: true });
  expect(await ground.observe()).toEqual(foreign);
});

test("metadata beside the declared entries is kept", async () => {
  await using ground = await startContentGround();
  const { options } = ground;
  await applyAgentContent(ground.client(), content, options);
  const [{ assistant_id: id }] = (await ground.call("POST", "/assistants/search", { name: "formal" })).body;
  await ground.call("PATCH", `/assistants/${id}`, { metadata: { team: "sales", pinned: true } });
  const { changes } = await applyAgentContent(ground.client(), content, options);
  expect(changes).toMatchObject([{ name: "formal", fields: ["metadata"] }]);
  expect((await ground.call("GET", `/assistants/${id}`)).body.metadata).toMatchObject({
    team: "support",
    pinned: true,
  });
});

test("another owner's assistant with the declared id is an error, and nothing is changed", async () => {
  await using ground = await startContentGround();
  const assistant_id = "0b5f1f3a-7a52-4c9b-9c53-0d3f4b9e1a11";
  await ground.call("POST", "/assistants", { assistant_id, graph_id: "agent", name: "theirs" });
  const declared = { ...noContent, assistants: { mine: { graph_id: "chat", assistant_id } } };
  ground.writes();
  const message = `The agent server at ${ground.url} has an assistant with the id ${assistant_id} that no declarative file made, so assistant mine wasn't applied. Declare another assistant_id, or delete that assistant.`;
  for (const run of [planAgentContent, applyAgentContent]) {
    await expect(run(ground.client(), declared, ground.options)).rejects.toMatchObject({
      name: "ConfigError",
      message,
      path: "assistants.mine",
    });
  }
  expect(ground.writes()).toEqual([]);
});

test("errors and events name fields and repeat no value, not even one that the server's message repeats", async () => {
  await using ground = await startContentGround();
  const secret = "value-of-the-context-4711";
  ground.mock.faults.add({
    match: { method: "POST", path: "/agents/*/assistants" },
    effect: { status: 422, body: { detail: `context.key: ${secret} is not a number` } },
  });
  const events: ProgressEvent[] = [];
  const options = { ...ground.options, onProgress: (event: ProgressEvent) => events.push(event) };
  const declared = { ...noContent, assistants: { mine: { graph_id: "chat", context: { key: secret } } } };
  await expect(applyAgentContent(ground.client(), declared, options)).rejects.toMatchObject({
    name: "ValidationError",
    message: expect.stringContaining("POST /assistants responded with 422: context.key: [redacted] is not a number"),
  });
  expect(events).toEqual([{ type: "warning", message: "The create of assistant mine failed." }]);
});

test("a server that isn't allowed the key is an error that names the setting", () => {
  const settings = { apiKey: "key", baseUrl: "https://control.example.com", agentHosts: [], allowHttpHosts: [] };
  const open = (url: string) => () => new AgentServer({ url, settings });
  expect(open("https://agents.example.com")).toThrow(
    "The agent server at agents.example.com isn't sent the API key, since it is neither the control plane's host nor named in GRAPHDEPLOY_AGENT_HOSTS.",
  );
  expect(open("http://control.example.com")).toThrow("GRAPHDEPLOY_ALLOW_HTTP_HOSTS");
  expect(open("https://control.example.com")).not.toThrow();
});

test("a deployment without assistants, crons and items has no content", () => {
  expect(hasContent(noContent)).toBe(false);
  expect(hasContent({ ...noContent, store: content.store })).toBe(true);
});
