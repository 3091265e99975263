import { expect, test } from "vitest";
import { providerText } from "../../../provider/dynamic.ts";
import { formsOf, leaksIn, plantedSecrets } from "../../kit/planted-secrets.ts";
import { agentArgs, apiKey, platform, program, startGround, startLogs, summary } from "../../kit/provider/ground.ts";

/** Every form of each planted value. */
const echo = Object.values(plantedSecrets).flatMap(formsOf).join(" | ");
const every = { ...plantedSecrets, API_KEY: apiKey };

test("outputs, the provider's text and the journal hold no secret after creation, change and refresh", async () => {
  await using logs = await startLogs();
  await using ground = await startGround({ logs: logs.address });
  const secrets = { ...plantedSecrets };
  expect(summary(await ground.engine.up(program({ secrets })))).toEqual(["create"]);
  expect(summary(await ground.engine.up(program({ secrets: { ...secrets, PLAIN: "sk-planted-other" } })))).toEqual([
    "update",
  ]);
  expect(summary(await ground.engine.refresh())).toEqual(["read"]);
  const stored = ground.engine.resources.get("agent");
  expect(stored?.outputs).toMatchObject({ secretNames: Object.keys(plantedSecrets).sort() });
  const other = { ...every, OTHER: "sk-planted-other" };
  expect(leaksIn(JSON.stringify(stored?.outputs), other)).toEqual([]);
  expect(leaksIn(String(stored?.inputs.__provider), other)).toEqual([]);
  expect(leaksIn(JSON.stringify(ground.mock.requests()), other)).toEqual([]);
  expect(leaksIn(JSON.stringify(logs.lines), other)).toEqual([]);
  expect(leaksIn(ground.provider.process.output(), other)).toEqual([]);
});

test("a server that echoes secrets in a refusal gets none of them into the error", async () => {
  await using logs = await startLogs();
  await using ground = await startGround({ logs: logs.address });
  const refuse = (effect: { status: number; body?: unknown; html?: string }) =>
    ground.mock.faults.replace([{ match: { method: "POST" }, effect }]);
  const said = async () => summary(await ground.engine.up(program({ secrets: { ...plantedSecrets } }))).join("\n");

  refuse({ status: 400, body: { detail: `Refused: ${echo} ${apiKey}` } });
  expect(leaksIn(await said(), every)).toEqual([]);
  refuse({
    status: 422,
    body: { detail: [{ loc: ["body", "secrets", 0, plantedSecrets.PLAIN], msg: echo, type: "t" }] },
  });
  expect(leaksIn(await said(), every)).toEqual([]);
  refuse({ status: 403, body: { error: { nested: [echo], [plantedSecrets.PLAIN]: 1 } } });
  expect(leaksIn(await said(), every)).toEqual([]);
  refuse({ status: 400, html: `<html><body>${echo}</body></html>` });
  expect(leaksIn(await said(), every)).toEqual([]);
  refuse({ status: 400, body: echo });
  expect(leaksIn(await said(), every)).toEqual([]);
  expect(leaksIn(JSON.stringify(logs.lines), every)).toEqual([]);
});

test("a build log with secrets is reported without them, in the error and in the status lines", async () => {
  await using logs = await startLogs();
  await using ground = await startGround({ logs: logs.address });
  const lines = Object.values(plantedSecrets).flatMap((value) => value.split("\n"));
  ground.mock.transitions.set({
    rules: [{ name: "agent", fail: "BUILD_FAILED", logLines: [...lines, echo, "the build broke here"] }],
  });
  const said = summary(await ground.engine.up(program({ secrets: { ...plantedSecrets } }))).join("\n");
  expect(said).toContain("ended as BUILD_FAILED");
  expect(said).toContain("the build broke here");
  expect(leaksIn(said, every)).toEqual([]);
  expect(leaksIn(JSON.stringify(logs.lines), every)).toEqual([]);
  expect(leaksIn(JSON.stringify(ground.engine.resources.get("agent")?.outputs), every)).toEqual([]);
});

test("secrets too short to redact are named in a persistent warning whenever they change", async () => {
  await using logs = await startLogs();
  await using ground = await startGround({ logs: logs.address });
  const warning =
    "These values aren't redacted from logs and messages, because they are too common in ordinary text: PIN (under 4 characters).";
  const said = () => logs.lines.filter(({ message }) => message === warning);
  await ground.engine.up(program({ secrets: { PIN: "123", MODEL_KEY: "sk-long-enough" } }));
  expect(said()).toMatchObject([{ severity: "warning", ephemeral: false }]);
  await ground.engine.up(program({ secrets: { PIN: "124", MODEL_KEY: "sk-long-enough" } }));
  expect(said()).toHaveLength(2);
});

test("plain environment values and the marker stay readable in messages", async () => {
  await using ground = await startGround();
  await ground.engine.up(program({ env: { STAGE: "production" }, secrets: { ...plantedSecrets } }));
  const detail = "The stage production refuses this.";
  ground.mock.faults.replace([{ match: { method: "PATCH" }, effect: { status: 400, body: { detail } } }]);
  const wanted = program({
    env: { STAGE: "production" },
    secrets: { ...plantedSecrets },
    sourceRevisionConfig: { repoRef: "next" },
  });
  expect(summary(await ground.engine.up(wanted)).join("\n")).toContain("The stage production refuses this");
});

test("a check wraps secrets for the engine, and every operation accepts both wrapped and plain ones", async () => {
  await using ground = await startGround();
  const { process } = ground.provider;
  const urn = "urn:pulumi:test::program::pulumi-nodejs:dynamic/graphdeploy:Deployment::agent";
  const marked = (value: string) => ({
    "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
    value,
  });
  const news = (secret: unknown) => ({
    ...agentArgs({ secrets: { TOKEN: secret as string } }),
    connection: { apiKey: secret },
    __provider: providerText,
  });
  const first = await process.check(urn, {}, news("sk-first-value"));
  expect(first.failures).toEqual([]);
  expect(first.inputs).toMatchObject({
    secrets: { TOKEN: marked("sk-first-value") },
    connection: { apiKey: marked("sk-first-value") },
    secretsVersion: 1,
  });
  const { id, outputs } = await process.create(urn, first.inputs);
  expect(JSON.stringify(outputs)).not.toContain("4dabf");
  const secretsOf = async () => (await platform(ground.mock)).deployments[0]?.secrets;
  expect(await secretsOf()).toContainEqual({ name: "TOKEN", value: "sk-first-value" });

  // The same secret isn't a change, whether it is plain or wrapped.
  for (const olds of [news("sk-first-value"), first.inputs]) {
    for (const secret of ["sk-first-value", marked("sk-first-value")]) {
      const { inputs } = await process.check(urn, { ...olds, secretsVersion: 1 }, news(secret));
      expect(inputs).toEqual(first.inputs);
    }
  }
  const second = await process.check(urn, first.inputs, news(marked("sk-second-value")));
  expect(second.inputs).toMatchObject({ secretsVersion: 2 });
  await process.diff(urn, id, outputs, second.inputs);
  await process.update(urn, id, { ...outputs, connection: { apiKey: marked("sk-first-value") } }, second.inputs);
  expect(await secretsOf()).toContainEqual({ name: "TOKEN", value: "sk-second-value" });
});
