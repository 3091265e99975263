import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { startBuiltDev } from "../../kit/clients/built-server.ts";
import { run } from "../../kit/python/run.ts";
import { virtualEnvironment } from "../../kit/python/virtual-environment.ts";

const python = await virtualEnvironment("langgraph-sdk==0.4.14", "langgraph==1.2.24");
const a2a = await virtualEnvironment("a2a-sdk==1.3.0");
const skip = python.missing === undefined ? "" : ` (skipped: ${python.missing})`;

/** Runs a script of this folder against a server. */
async function check(script: string, url: string, environment = python) {
  if (environment.missing !== undefined) throw new Error(environment.missing);
  return run(environment.command("python"), [fileURLToPath(new URL(script, import.meta.url)), url]);
}

test.skipIf(skip)(
  `the Python client's methods are called with each optional parameter absent and empty${skip}`,
  async () => {
    await using server = await startBuiltDev();
    const ended = await check("sdk_methods.py", server.url);
    expect(ended).toMatchObject({ code: 0, output: expect.stringMatching(/^\d{4} calls, 0 wrong\n$/) });
  },
);

test.skipIf(skip)(
  `a remote graph in Python is run, streamed, drawn, resumed and part of another graph${skip}`,
  async () => {
    await using server = await startBuiltDev("development");
    expect(await check("remote_graph.py", server.url)).toEqual({ code: 0, output: "done\n" });
  },
);

const skipA2a = a2a.missing === undefined ? "" : ` (skipped: ${a2a.missing})`;

test.skipIf(skipA2a)(
  `the Python client of A2A sends, streams, replies, cancels, follows and gets notifications${skipA2a}`,
  async () => {
    await using server = await startBuiltDev("development");
    expect(await check("a2a_client.py", server.url, a2a)).toEqual({ code: 0, output: "done\n" });
  },
);
