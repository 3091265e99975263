import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { startDevServer } from "../../../mock-server/dev-server.ts";
import { apiOf, githubBody, startForTest } from "../../kit/mock-server/api.ts";

function run(program: string, ...flags: string[]): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [
    fileURLToPath(new URL(`../../../mock-server/${program}`, import.meta.url)),
    ...flags,
  ]);
}

async function firstLine(child: ChildProcessWithoutNullStreams): Promise<string> {
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  return line as string;
}

async function errorOf(child: ChildProcessWithoutNullStreams): Promise<{ code: number; text: string }> {
  let text = "";
  child.stderr.on("data", (chunk) => {
    text += chunk;
  });
  const [code] = await once(child, "close");
  return { code, text };
}

test("the mock command prints its URL, accepts its flags and ends on SIGTERM", async () => {
  const child = run(
    "main.ts",
    "--port",
    "0",
    "--api-key",
    "alpha=one,two",
    "--api-key",
    "beta",
    "--transitions",
    "immediate",
    "--log-format",
    "json",
  );
  const listening = JSON.parse(await firstLine(child));
  expect(listening).toMatchObject({ event: "listening", url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) });
  const info = await (await fetch(`${listening.url}/_mock/info`)).json();
  expect(info).toMatchObject({ api_keys: 2, default_workspace_id: "one", transitions: { mode: "immediate" } });
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
});

test.each([
  [["--transitions", "sometime"], "sometime"],
  [["--port", "99999"], "65535"],
  [["--public-url", "ftp://x"], "http"],
  [["--log-format", "xml"], "pretty"],
  [["--host", "http://localhost"], "A host is a name or an address without a port"],
  [["--host", "127.0.0.1:8124"], "A host is a name or an address without a port"],
  [["--host", ""], "A host is a name or an address without a port"],
  [["--host", "192.0.2.1", "--port", "0"], "--host 192.0.2.1 is neither a name nor an address of this machine"],
  [["--host", "nowhere.invalid", "--port", "0"], "--host nowhere.invalid is neither a name nor an address"],
  [["--config", "none.yaml"], "none.yaml can't be read"],
  [["--graphs", "none.yaml"], "none.yaml can't be read"],
  [["--tls-cert", "cert.pem"], "give both"],
  [["--tls-cert", "none.pem", "--tls-key", "none.pem"], "--tls-cert none.pem can't be read (ENOENT)"],
  [["--nothing"], "unknown option"],
])("the mock command refuses %s with a one-line error and code 2", async (flags, hint) => {
  const { code, text } = await errorOf(run("main.ts", ...flags));
  expect(code).toBe(2);
  expect(text).toContain(hint);
  expect(text.trim().split("\n")).toHaveLength(1);
});

test.each([
  [["--config", "none.json"], "none.json can't be read"],
  [["--config", "a.json", "--graphs", "b.yaml"], "Give --config or --graphs, not both."],
  [["--host", "127.0.0.1:2024"], "A host is a name or an address without a port"],
])("the dev command refuses %s with a one-line error and code 2", async (flags, hint) => {
  const { code, text } = await errorOf(run("dev.ts", "--port", "0", ...flags));
  expect(code).toBe(2);
  expect(text).toContain(hint);
  expect(text.trim().split("\n")).toHaveLength(1);
});

test.each([
  [
    "main.ts",
    [],
    "Any key that isn't empty is accepted: name keys with --api-key; the admin API is closed without --admin-token.",
  ],
  [
    "main.ts",
    ["--api-key", "key", "--admin-token", "token"],
    "Callers need one of the API keys; the admin API needs its token.",
  ],
  ["dev.ts", [], "It asks for no key, and whoever reaches it runs the graphs."],
])("%s %j off loopback says who may reach it", async (program, flags, protection) => {
  const child = run(program, "--port", "0", "--host", "0.0.0.0", ...flags);
  const url = /http:[^\s"]+/.exec(await firstLine(child))?.[0];
  const [said] = await once(child.stderr, "data");
  expect(String(said)).toBe(
    `notice: The server listens on 0.0.0.0, where other machines may reach it. ${protection}\n`,
  );
  expect((await fetch(`${url}/docs`)).status).toBe(200);
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
});

test("a port in use is a one-line error", async () => {
  await using mock = await startForTest();
  const { code, text } = await errorOf(run("main.ts", "--port", new URL(mock.url).port));
  expect(code).toBe(1);
  expect(text).toContain("--port");
});

test("the dev command serves an agent server at the root", async () => {
  const child = run("dev.ts", "--port", "0");
  const url = /http:\S+/.exec(await firstLine(child))?.[0];
  expect(await (await fetch(`${url}/ok`)).json()).toEqual({ ok: true });
  child.kill("SIGINT");
  expect(await once(child, "exit")).toEqual([0, null]);
});

test("the dev server has info and a reference page, and responds 404 to unknown paths", async () => {
  await using dev = await startDevServer(0);
  expect((await fetch(`${dev.url}/info`)).status).toBe(200);
  expect(await (await fetch(`${dev.url}/docs`)).text()).toContain("swagger-ui-bundle.js");
  expect((await fetch(`${dev.url}/nothing`)).status).toBe(404);
});

test("clients can't send control sequences to the terminal of the dev command", async () => {
  const child = run("dev.ts", "--port", "0");
  const url = (await firstLine(child)).replace(/^.* /, "");
  const input = { message: "\u001b[2J\u0007\rgone" };
  const body = JSON.stringify({ assistant_id: "failure", input });
  const said = once(child.stderr, "data");
  await fetch(`${url}/runs/wait`, { method: "POST", body });
  expect(String((await said)[0])).toMatch(/^ERROR Run .* failed: \w+: \?\[2J\?\?gone\n$/);
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
});

test("a server whose output pipe is closed keeps serving", async () => {
  const child = run("main.ts", "--port", "0", "--log-format", "json");
  const { url } = JSON.parse(await firstLine(child));
  child.stdout.destroy();
  for (let count = 0; count < 3; count++) {
    const response = await fetch(`${url}/v2/deployments`, { headers: { "x-api-key": "any" } });
    expect(response.status).toBe(200);
  }
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
});

test("a server reports after a signal that it is waiting, and a second signal ends the wait", async () => {
  const child = run("main.ts", "--port", "0", "--log-format", "json", "--transitions", "immediate");
  const { url } = JSON.parse(await firstLine(child));
  const api = apiOf(url);
  const { body } = await api("POST", "/v2/deployments", githubBody());
  const stream = await fetch(`${url}/agents/${body.id}/runs/stream`, {
    method: "POST",
    headers: { "x-api-key": "any" },
    body: JSON.stringify({ assistant_id: "delay", input: { ms: 3_600_000 } }),
  });
  child.kill("SIGTERM");
  const [said] = await once(child.stderr, "data");
  expect(String(said)).toBe("Waiting up to 5 s for responses in progress. Interrupt again to end them now.\n");
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
  await expect(stream.text()).rejects.toThrow();
});
