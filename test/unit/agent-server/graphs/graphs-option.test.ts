import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { devCommand } from "../../../../mock-server/dev-command.ts";
import { mockCommand } from "../../../../mock-server/mock-command.ts";
import type { MockServer } from "../../../../mock-server/server.ts";
import { apiOf } from "../../../kit/mock-server/api.ts";

const file = fileURLToPath(new URL("../../../fixtures/graphs.yaml", import.meta.url));

test("the mock command serves declared graphs beside the built-in ones", async () => {
  const mock = await new Promise<MockServer>((resolve, reject) => {
    const args = ["--port", "0", "--transitions", "immediate", "--log-format", "json", "--graphs", file];
    mockCommand(resolve).parseAsync(args, { from: "user" }).catch(reject);
  });
  await using _ = mock;
  const api = apiOf(mock.url);
  const { deployments } = await mock.seed({ deployments: [{ name: "agent", source: "internal_source" }] });
  const { body: found } = await api("POST", `/agents/${deployments[0]?.id}/assistants/search`, { limit: 100 });
  const ids = found.map(({ graph_id: id }: { graph_id: string }) => id);
  expect(ids).toEqual(expect.arrayContaining(["support", "payment", "agent", "burst"]));
});

test("the dev command accepts a graph configuration file or declared graphs, but not both", async () => {
  const both = devCommand(() => undefined).parseAsync(["--config", "graph.json", "--graphs", file], { from: "user" });
  await expect(both).rejects.toThrow("Give --config or --graphs, not both.");
});
