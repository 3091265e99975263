import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { startForTest } from "../../kit/mock-server/api.ts";
import { consent } from "../../kit/mock-server/user-agent.ts";
import { run } from "../../kit/python/run.ts";
import { virtualEnvironment } from "../../kit/python/virtual-environment.ts";

const python = await virtualEnvironment("langchain-auth==0.3.0");
const skip = python.missing === undefined ? "" : ` (skipped: ${python.missing})`;
const script = fileURLToPath(new URL("auth_flow.py", import.meta.url));

test.skipIf(skip)(`the auth library authenticates end to end${skip}`, async () => {
  if (python.missing !== undefined) throw new Error(python.missing);
  await using mock = await startForTest();
  const { oauth } = (await mock.cloud("GET", "/_mock/info")).body;
  const options = JSON.stringify({ ...oauth, url: mock.url, api_key: "test-key" });
  const users: Promise<unknown>[] = [];
  const onOutput = (piece: string) => {
    const url = /^OPEN (\S+)$/m.exec(piece)?.[1];
    if (url !== undefined) users.push(consent(url));
  };
  const ended = await run(python.command("python"), [script, options], { onOutput });
  await Promise.all(users);
  expect(ended).toMatchObject({ code: 0, output: expect.stringContaining("DONE") });
});
