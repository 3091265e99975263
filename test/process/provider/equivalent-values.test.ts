import { expect, test } from "vitest";
import { apiKey, program, startGround, summary, writes } from "../../kit/provider/ground.ts";

// A refresh wrote the platform's values into the inputs even if they were equivalent to the declared ones: the next
// `up` then showed an update, after every refresh.

test("an equivalent address of the repository isn't drift", async () => {
  await using ground = await startGround();
  await fetch(`${ground.mock.url}/v2/deployments`, {
    method: "POST",
    headers: { "x-api-key": apiKey, "content-type": "application/json" },
    body: JSON.stringify({
      name: "agent",
      source: "github",
      source_config: { repo_url: "https://github.com/acme/agent.git" },
      source_revision_config: { repo_ref: "main", graph_config_path: "graph.json" },
      secrets: [],
    }),
  });
  await ground.engine.up(program({ adopt: true }));
  expect(summary(await ground.engine.refresh())).toEqual(["read"]);
  expect(summary(await ground.engine.up(program({ adopt: true })))).toEqual(["same"]);
});

test("cores rounded by the platform aren't drift, other differences are", async () => {
  await using ground = await startGround();
  const wanted = program({ sourceConfig: { resourceSpec: { cpu: 0.55, minScale: 1 } } });
  await ground.engine.up(wanted);
  const { id } = ground.engine.resources.get("agent") ?? {};
  const keep = (cpu: number) =>
    fetch(`${ground.mock.url}/v2/deployments/${id}`, {
      method: "PATCH",
      headers: { "x-api-key": apiKey, "content-type": "application/json" },
      body: JSON.stringify({ source_config: { resource_spec: { cpu, min_scale: 1 } } }),
    });
  await keep(0.6);
  expect(summary(await ground.engine.refresh())).toEqual(["read"]);
  expect(summary(await ground.engine.up(wanted))).toEqual(["same"]);
  expect(writes(ground.mock)).toEqual(["POST 201", "PATCH 200"]);
  await keep(2);
  await ground.engine.refresh();
  expect(summary(await ground.engine.up(wanted))).toEqual(["update"]);
  expect(writes(ground.mock)).toEqual(["POST 201", "PATCH 200", "PATCH 200", "PATCH 200"]);
});
