import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { copyOfProject } from "../../../kit/agent-server/projects/project-copy.ts";

const program = fileURLToPath(new URL("../../../../mock-server/dev.ts", import.meta.url));

// biome-ignore lint/suspicious/noExplicitAny: lines have any shape
type Line = any;

/** The dev command in a folder, with its output. */
async function startDev(folder: string, ...flags: string[]) {
  const child = spawn(process.execPath, [program, "--port", "0", "--log-format", "json", ...flags], { cwd: folder });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  /** The next output line of this kind. */
  const next = async (event: string): Promise<Line> => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error(`The command has ended before it printed "${event}".`);
      const line = JSON.parse(value);
      if (line.event === event) return line;
    }
  };
  const { url, ...listening } = await next("listening");
  return {
    url,
    listening,
    next,
    async greet(name: string): Promise<string> {
      const body = JSON.stringify({ assistant_id: "greeter", input: { name } });
      const values = (await (await fetch(`${url}/runs/wait`, { method: "POST", body })).json()) as { greeting: string };
      return values.greeting;
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      expect(await once(child, "exit")).toEqual([0, null]);
    },
  };
}

async function failureOf(folder: string, ...flags: string[]): Promise<{ code: number; text: string }> {
  const child = spawn(process.execPath, [program, "--port", "0", ...flags], { cwd: folder });
  let text = "";
  child.stderr.on("data", (chunk) => {
    text += chunk;
  });
  const [code] = await once(child, "close");
  return { code, text };
}

test("the dev command serves the graphs of the configuration file it finds, and prints their output", async () => {
  await using project = await copyOfProject("greeter");
  await using dev = await startDev(project.folder);
  expect(dev.listening).toEqual({
    event: "listening",
    docs: `${dev.url}/docs`,
    graphs: ["greeter"],
    config: join(project.folder, "graph.json"),
  });
  expect(await dev.next("output")).toEqual({ event: "output", stream: "stdout", text: "Loaded with Hello" });
  expect(await dev.greet("Ada")).toBe("Hello Ada from here");
});

test("a changed file is reloaded without losing threads, and while it is broken the previous graphs keep serving", async () => {
  await using project = await copyOfProject("greeter");
  await using dev = await startDev(project.folder);
  const created = await fetch(`${dev.url}/threads`, { method: "POST", body: "{}" });
  const { thread_id } = (await created.json()) as { thread_id: string };

  await writeFile(join(project.folder, "greeting.ts"), 'export const greeting: string = "Good day";\n');
  expect(await dev.next("reloaded")).toEqual({ event: "reloaded", graphs: ["greeter"] });
  expect(await dev.greet("Ada")).toBe("Good day Ada from here");
  expect((await fetch(`${dev.url}/threads/${thread_id}`)).status).toBe(200);

  await writeFile(join(project.folder, "greeting.ts"), "export const greeting = ;\n");
  expect((await dev.next("reload_failed")).message).toMatch(/greeting\.ts:1: /);
  expect(await dev.greet("Bea")).toBe("Good day Bea from here");

  await writeFile(join(project.folder, "greeting.ts"), 'export const greeting = "Hi";\n');
  await dev.next("reloaded");
  expect(await dev.greet("Cleo")).toBe("Hi Cleo from here");
});

test("the routes that an app replaces are named, and components are bundled again when one of their files changes", async () => {
  await using project = await copyOfProject("generative-ui");
  const app =
    'import { Hono } from "hono";\nexport const app = new Hono().get("/info", (c) => c.text("of the app"));\n';
  await writeFile(join(project.folder, "app.ts"), app);
  const config = {
    graphs: { agent: "./graph.ts:graph" },
    ui: { agent: "./components.tsx" },
    http: { app: "./app.ts:app", logging_headers: { includes: ["x-user"] } },
  };
  await writeFile(join(project.folder, "graph.json"), JSON.stringify(config));
  await using dev = await startDev(project.folder);
  expect((await dev.next("warning")).message).toBe(
    "http.app: its routes replace these of the agent server: GET /info.",
  );
  const info = await fetch(`${dev.url}/info`, { headers: { "x-user": "ada" } });
  expect(await info.text()).toBe("of the app");
  expect((await dev.next("output")).text).toBe("GET /info 200, x-user: ada");

  const bundled = async (name: string) => (await fetch(`${dev.url}/ui/agent/entrypoint.${name}`)).text();
  expect(await bundled("js")).toContain("Pressed");
  const components = await readFile(join(project.folder, "components.tsx"), "utf8");
  await writeFile(join(project.folder, "components.tsx"), components.replace("Pressed", "Pushed"));
  await dev.next("reloaded");
  expect(await bundled("js")).toContain("Pushed");
  await writeFile(join(project.folder, "style.css"), ".card { border: 3px solid; }");
  await dev.next("reloaded");
  expect(await bundled("css")).toContain("3px");
});

test("a page whose name was rebound to this machine can't read anything, whatever CORS allows", async () => {
  await using project = await copyOfProject("greeter");
  const config = { graphs: { greeter: "./graph.ts:graph" }, http: { cors: { allow_origins: ["*"] } } };
  await writeFile(join(project.folder, "graph.json"), JSON.stringify(config));
  await using dev = await startDev(project.folder, "--allow-host", "dev.example");
  const ask = async (host: string) => {
    const sent = request(`${dev.url}/info`, { headers: { host, origin: `http://${host}` } }).end();
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    response.resume();
    return [response.statusCode, response.headers["access-control-allow-origin"]];
  };
  expect(await ask("evil.example:80")).toEqual([421, undefined]);
  expect(await ask("dev.example")).toEqual([200, "*"]);
  expect(await ask("localhost")).toEqual([200, "*"]);
});

test("the configuration file is watched too, and an environment file beside it", async () => {
  await using project = await copyOfProject("greeter");
  const config = (env: unknown) => JSON.stringify({ graphs: { greeter: "./graph.ts:graph" }, env });
  await using dev = await startDev(project.folder);
  await writeFile(join(project.folder, ".env"), "PLACE=there\n");
  await writeFile(join(project.folder, "graph.json"), config(".env"));
  await dev.next("reloaded");
  expect(await dev.greet("Ada")).toBe("Hello Ada from there");
});

test("an environment file is watched whatever its name and folder", async () => {
  await using project = await copyOfProject("greeter");
  await mkdir(join(project.folder, "settings"));
  const file = join(project.folder, "settings", "local.vars");
  await writeFile(file, "PLACE=here\n");
  const config = { graphs: { greeter: "./graph.ts:graph" }, env: "settings/local.vars" };
  await writeFile(join(project.folder, "graph.json"), JSON.stringify(config));
  await using dev = await startDev(project.folder);
  await writeFile(file, "PLACE=there\n");
  await dev.next("reloaded");
  expect(await dev.greet("Ada")).toBe("Hello Ada from there");
});

test("a parameter without effect is reported once", async () => {
  await using project = await copyOfProject("greeter");
  await using dev = await startDev(project.folder);
  const body = JSON.stringify({ assistant_id: "greeter", input: { name: "Ada" }, feedback_keys: ["a"] });
  for (let round = 0; round < 2; round++) await fetch(`${dev.url}/runs/wait`, { method: "POST", body });
  await fetch(`${dev.url}/runs/wait?stream=1`, { method: "POST", body });
  const lines: Line[] = [];
  while (lines.at(-1)?.text.includes("query.stream ") !== true) {
    const line = await dev.next("output");
    if (line.level === "WARNING") lines.push(line);
  }
  expect(lines.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^feedback_keys of wait_stateless_run has no effect/),
    expect.stringMatching(/^query\.stream is unknown/),
  ]);
});

test("without reloading, the graphs that were loaded first keep serving", async () => {
  await using project = await copyOfProject("greeter");
  await using dev = await startDev(project.folder, "--no-reload", "--config", "graph.json");
  await writeFile(join(project.folder, "greeting.ts"), 'export const greeting = "Never";\n');
  expect(await dev.greet("Ada")).toBe("Hello Ada from here");
});

test("the http settings take effect: disabled groups, the project's app, and CORS", async () => {
  await using project = await copyOfProject("greeter");
  await using dev = await startDev(project.folder);
  const get = (path: string, init?: RequestInit) => fetch(dev.url + path, init);

  expect(await (await get("/hello?name=Ada")).json()).toEqual({ hello: "Ada", method: "GET" });
  expect(await (await get("/counts")).text()).toBe("1\n2\n3\n");
  const echo = await get("/echo", { method: "POST", body: "said" });
  expect([echo.status, echo.headers.get("x-echo"), await echo.text()]).toEqual([201, "yes", "said"]);
  expect((await get("/elsewhere")).status).toBe(404);

  // The store is disabled, so its paths belong to the app. The assistants' paths belong to the server, even if the app
  // has them too.
  expect(await (await get("/store/items")).json()).toEqual({ store: "ours" });
  expect((await get("/assistants/greeter")).status).toBe(200);
  expect((await get("/threads/not-an-id")).status).toBe(422);

  const failure = await get("/throws");
  expect([failure.status, await failure.json()]).toEqual([500, { detail: "Internal Server Error" }]);
  expect((await get("/ok")).status).toBe(200);

  const allowed = await get("/ok", { headers: { origin: "https://app.example" } });
  expect(allowed.headers.get("access-control-allow-origin")).toBe("https://app.example");
  expect(allowed.headers.get("access-control-allow-credentials")).toBe("true");
  const other = await get("/ok", { headers: { origin: "https://other.example" } });
  expect(other.headers.get("access-control-allow-origin")).toBeNull();
  const preflight = await get("/threads", {
    method: "OPTIONS",
    headers: {
      origin: "https://app.example",
      "access-control-request-method": "POST",
      "access-control-request-headers": "x-api-key",
      "access-control-request-private-network": "true",
    },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get("access-control-allow-private-network")).toBe("true");
  expect(preflight.headers.get("access-control-allow-headers")).toBe("x-api-key");
});

test("a missing or invalid configuration file, or a graph that doesn't load, ends the command with the reason", async () => {
  await using project = await copyOfProject("greeter");
  const { folder } = project;
  const missing = await failureOf(folder, "--config", "none.json");
  expect(missing).toEqual({ code: 2, text: expect.stringMatching(/^error: none\.json can't be read\./) });
  await writeFile(join(folder, "graph.json"), '{\n  "graphs": { "greeter": "./gone.ts:graph" }\n}');
  expect(await failureOf(folder)).toEqual({
    code: 1,
    text: expect.stringMatching(/graph\.json:2: graphs\.greeter: names \.\/gone\.ts, which doesn't exist\.\n$/),
  });
  await mkdir(join(folder, "src"));
  await writeFile(join(folder, "src/exits.ts"), "process.exit(3);\n");
  await writeFile(join(folder, "graph.json"), '{ "graphs": { "exits": "./src/exits.ts:graph" } }');
  expect(await failureOf(folder)).toEqual({ code: 1, text: expect.stringMatching(/^error: .*exits\.ts.*\n$/) });
});

test("every graph that doesn't load is reported, each with the line of its own code", async () => {
  await using project = await copyOfProject("greeter");
  const { folder } = project;
  await mkdir(join(folder, "src"));
  await writeFile(
    join(folder, "src/helper.ts"),
    "export function connect(): never {\n  throw new TypeError('no key');\n}\n",
  );
  await writeFile(
    join(folder, "src/first.ts"),
    "import { connect } from './helper.ts';\nexport const graph = connect();\n",
  );
  await writeFile(join(folder, "src/second.mjs"), "export const graph = {;\n");
  await writeFile(join(folder, "src/third.ts"), "export const other = 1;\n");
  const graphs = {
    first: "./src/first.ts:graph",
    second: "./src/second.mjs:graph",
    third: "./src/third.ts:graph",
  };
  await writeFile(join(folder, "graph.json"), JSON.stringify({ graphs }));
  const { code, text } = await failureOf(folder);
  expect(code).toBe(1);
  const lines = text.trim().split("\n");
  expect(lines).toEqual([
    expect.stringMatching(/^error: .*first\.ts doesn't load: TypeError: no key \(.*\/src\/helper\.ts:2\)$/),
    expect.stringMatching(/second\.mjs doesn't load: SyntaxError: /),
    expect.stringMatching(/third\.ts doesn't export graph: it exports other\.$/),
  ]);
});

test("the log of a run that fails in a node names the line of the node's code, and clients don't see it", async () => {
  await using project = await copyOfProject("greeter");
  const { folder } = project;
  const file = join(folder, "greeting.ts");
  await writeFile(
    file,
    "export const greeting = {\n  toString(): string {\n    throw new TypeError('no greeting');\n  },\n};\n",
  );
  await writeFile(
    join(folder, "graph.ts"),
    (await readFile(join(folder, "graph.ts"), "utf8")).replace(/^console.*$/m, ""),
  );
  await using dev = await startDev(folder);
  const body = JSON.stringify({ assistant_id: "greeter", input: { name: "nobody" } });
  const response = await (await fetch(`${dev.url}/runs/wait`, { method: "POST", body })).json();
  expect(response).toEqual({ __error__: { error: "TypeError", message: "no greeting" } });
  const { level, text } = await dev.next("output");
  expect([level, text]).toEqual(["ERROR", expect.stringContaining(`failed: TypeError: no greeting (${file}:3)`)]);
});

test("a project in a workspace may use files outside its own folder on the developer's machine", async () => {
  await using project = await copyOfProject("greeter");
  const folder = join(project.folder, "apps/agent");
  await mkdir(folder, { recursive: true });
  await writeFile(join(project.folder, ".env"), "PLACE=the workspace\n");
  const config = { graphs: { greeter: "../../graph.ts:graph" }, env: "../../.env" };
  await writeFile(join(folder, "graph.json"), JSON.stringify(config));
  await using dev = await startDev(folder);
  expect(await dev.greet("Ada")).toBe("Hello Ada from the workspace");
  // Changes to that file take effect, too.
  await writeFile(join(project.folder, ".env"), "PLACE=elsewhere\n");
  await dev.next("reloaded");
  expect(await dev.greet("Ada")).toBe("Hello Ada from elsewhere");
});
