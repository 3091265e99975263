import { expect, test } from "vitest";
import { Provider } from "../../../provider/provider.ts";
import { leaksIn } from "../../kit/planted-secrets.ts";
import { type ProviderGround, program, startGround, startProvider, summary } from "../../kit/provider/ground.ts";

const keys = { first: "key-planted-first-0001", second: "key-planted-second-0002" };
const apiKeys = { [keys.first]: ["workspace-1"], [keys.second]: ["workspace-1"] };
const environment = { GRAPHDEPLOY_API_KEY: "" };

/** The same state with another stack configuration. */
async function reconfigured(earlier: ProviderGround, baseUrl: string, config: Record<string, string>) {
  const later = await startProvider({ baseUrl, environment, config });
  for (const [name, resource] of earlier.engine.resources) later.engine.resources.set(name, resource);
  return later;
}

test("a key from the stack's configuration is kept by its name, and a rotated one is used at once", async () => {
  await using ground = await startGround({ mock: { apiKeys }, environment, config: { "program:euKey": keys.first } });
  const wanted = (key: string) => program({}, { provider: new Provider({ apiKey: key }) });
  expect(summary(await ground.engine.up(wanted(keys.first)))).toEqual(["create"]);
  const stored = ground.engine.resources.get("agent");
  expect(stored?.inputs.connection).toEqual({ apiKeyConfig: "program:euKey" });
  expect(leaksIn(JSON.stringify(stored), keys)).toEqual([]);

  await using later = await reconfigured(ground.provider, ground.mock.url, { "program:euKey": keys.second });
  expect(summary(await later.engine.refresh())).toEqual(["read"]);
  expect(summary(await later.engine.up(wanted(keys.second)))).toEqual(["same"]);
  expect(summary(await later.engine.destroy())).toEqual(["delete"]);
});

test("a key may be named by its configuration key, and the error about a missing one has the command that sets it", async () => {
  await using ground = await startGround({ mock: { apiKeys }, environment, config: { "other:key": keys.first } });
  const wanted = program({}, { provider: new Provider({ apiKeyConfig: "other:key" }) });
  expect(summary(await ground.engine.up(wanted))).toEqual(["create"]);
  await using later = await reconfigured(ground.provider, ground.mock.url, {});
  const [said] = summary(await later.engine.destroy());
  expect(said).toContain(
    "apiKeyConfig: the stack configuration has no other:key. Set it with `pulumi config set --secret other:key`, or name another one.",
  );
  expect(later.engine.resources.size).toBe(1);
});

test("an unset variable is named in the error, and the state stays unchanged", async () => {
  await using ground = await startGround({ mock: { apiKeys }, environment: { ...environment, EU_KEY: keys.first } });
  const wanted = program({}, { provider: new Provider({ apiKeyEnv: "EU_KEY" }) });
  expect(summary(await ground.engine.up(wanted))).toEqual(["create"]);
  await using later = await reconfigured(ground.provider, ground.mock.url, {});
  const [said] = summary(await later.engine.destroy());
  expect(said).toContain(
    "apiKeyEnv: the environment variable EU_KEY is not set. Set EU_KEY to an API key, or name another variable.",
  );
  expect(later.engine.resources.size).toBe(1);
  expect(leaksIn(JSON.stringify([...later.engine.resources]), keys)).toEqual([]);
});

test("passing a key in two ways is refused in the program", () => {
  expect(() => new Provider({ apiKeyEnv: "A", apiKeyConfig: "b" })).toThrow(
    "Provider: apiKeyEnv and apiKeyConfig are given. Keep one of them.",
  );
});
