import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createContext, runInContext } from "node:vm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startProject } from "../../../mock-server/worker/host/start-project.ts";
import { readGraphConfig } from "../../../mock-server/worker/load/graph-config.ts";
import { type ConfiguredAgent, startConfigured } from "../../kit/agent-server/compiled/configured-project.ts";
import { startAgentOf } from "../../kit/agent-server/compiled/project.ts";
import { copyOfProject } from "../../kit/agent-server/projects/project-copy.ts";

const fixture = "generative-ui";
const broken = { "broken.tsx": "import gone from './gone';\nexport default { gone };" };
const ui = { agent: "./components.tsx", "other-name.x": "./components.tsx", broken: "./broken.tsx" };
let agent: ConfiguredAgent;

beforeAll(async () => {
  agent = await startConfigured({ fixture, keys: { ui, ui_config: { shared: ["three"] } }, files: broken });
});
afterAll(() => agent[Symbol.asyncDispose]());

const show = (name: string, component = "counter", init: RequestInit = {}) =>
  fetch(`${agent.url}/ui/${name}`, {
    method: "POST",
    body: JSON.stringify({ name: component }),
    ...init,
  });

test("a component is loaded by elements with absolute addresses", async () => {
  const response = await show("agent");
  expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect((await response.text()).split("\n").sort()).toEqual([
    `<link rel="stylesheet" href="${agent.url}/ui/agent/entrypoint.css">`,
    `<script src="${agent.url}/ui/agent/entrypoint.js" onload="__LGUI_agent.render(&#34;counter&#34;, &#34;{{shadowRootId}}&#34;)"></script>`,
  ]);
});

test("names are those of graphs, of the file or ids of assistants", async () => {
  const { body: mine } = await agent.call("POST", "/assistants", { graph_id: "agent" });
  expect(await (await show(mine.assistant_id)).text()).toContain("/ui/agent/entrypoint.js");
  expect(await (await show("other-name.x")).text()).toContain("__LGUI_other_name_x.render(");
  expect((await show("nothing")).status).toBe(404);
});

test("the name of a component can't leave its attribute", async () => {
  const text = await (await show("agent", `"><script>'`)).text();
  expect(text).not.toContain("<script>");
  expect(text).toContain("render(&#34;\\&#34;&#62;&#60;script&#62;&#39;&#34;, ");
});

test("the script renders a component with the page's packages", async () => {
  const script = await fetch(`${agent.url}/ui/agent/entrypoint.js`);
  expect(script.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  expect(script.headers.get("access-control-allow-origin")).toBe("*");
  const required: string[] = [];
  const responses: unknown[] = [];
  const root = { appendChild: () => undefined };
  const page: Record<PropertyKey, unknown> = {
    document: { createElement: () => ({ tag: "div" }), getElementById: () => ({ shadowRoot: root }) },
    [Symbol.for("LGUI_REQUIRE")]: (name: string) => {
      required.push(name);
      return {};
    },
    [Symbol.for("LGUI_EXT_STORE")]: { respond: (...given: unknown[]) => responses.push(given) },
  };
  page.window = page;
  const context = createContext(page);
  runInContext(await script.text(), context);
  runInContext('__LGUI_agent.render("counter", "child-1")', context);
  expect(required.sort()).toEqual(["react", "react/jsx-runtime"]);
  expect(responses).toEqual([["child-1", expect.any(Function), { tag: "div" }]]);
});

test("styles are a file of their own, and other files don't exist", async () => {
  const style = await fetch(`${agent.url}/ui/agent/entrypoint.css`);
  expect(style.headers.get("content-type")).toBe("text/css; charset=utf-8");
  expect(await style.text()).toContain(".card");
  for (const path of ["/ui/agent/components.tsx", "/ui/agent/..%2Fgraph.json", "/ui/nothing/entrypoint.js"]) {
    expect([path, (await fetch(agent.url + path)).status]).toEqual([path, 404]);
  }
});

test("components that can't be bundled are reported when the project loads, and by requests for them", async () => {
  expect(agent.lines.join("\n")).toMatch(/The components of broken can't be bundled: .*"\.\/gone"/s);
  const response = await show("broken");
  expect([response.status, await response.json()]).toEqual([
    500,
    { detail: expect.stringContaining("The components of broken can't be bundled") },
  ]);
});

test("bundled files are watched, and modules of the page aren't", async () => {
  for (const name of ["components.tsx", "style.css", "broken.tsx"]) {
    expect(agent.project.files).toContain(join(agent.folder, name));
  }
  expect(agent.project.files.filter((file) => /react|page:/.test(file))).toEqual([]);
});

test("packages under ui_config.shared come from the page", async () => {
  const files = { "scene.tsx": 'import { Scene } from "three/scene";\nexport default { scene: Scene };' };
  const keys = { ui: { agent: "./scene.tsx" }, ui_config: { shared: ["three"] } };
  await using sharing = await startConfigured({ fixture, keys, files });
  const script = await (await fetch(`${sharing.url}/ui/agent/entrypoint.js`)).text();
  expect(script).toMatch(/Symbol\.for\("LGUI_REQUIRE"\)\]\("three\/scene"\)/);
  await using unshared = await startConfigured({ fixture, keys: { ...keys, ui_config: {} }, files });
  expect(unshared.lines.join("\n")).toContain('"three/scene"');
});

test("loading a file needs no user, and showing a component does", async () => {
  const files = {
    "auth.ts": `export const auth = {
      authenticate(request) {
        if (!request.headers.has("x-user")) throw { status: 401, detail: "Say who you are" };
        return { identity: "ada" };
      },
      on: { assistants: () => ({ owner: "ada" }) },
    };`,
  };
  const keys = { ui: { agent: "./components.tsx" }, auth: { path: "./auth.ts:auth" } };
  await using guarded = await startConfigured({ fixture, keys, files });
  expect((await fetch(`${guarded.url}/ui/agent/entrypoint.js`)).status).toBe(200);
  const body = { name: "counter" };
  expect((await guarded.call("POST", "/ui/agent", body)).status).toBe(401);
  expect((await guarded.call("POST", "/ui/agent", body, { "x-user": "ada" })).status).toBe(200);
});

test("addresses have the prefix that the client has used, or that a proxy has removed", async () => {
  const keys = { ui: { agent: "./components.tsx" }, http: { mount_prefix: "/api" } };
  await using mounted = await startConfigured({ fixture, keys });
  const init = { method: "POST", body: JSON.stringify({ name: "counter" }) };
  const script = `${mounted.url.replace("http:", "http:")}/api/ui/agent/entrypoint.js`;
  expect(await (await fetch(`${mounted.url}/api/ui/agent`, init)).text()).toContain(`"${script}"`);
  const behindProxy = { ...init, headers: { "x-forwarded-prefix": "/api" } };
  expect(await (await fetch(`${mounted.url}/ui/agent`, behindProxy)).text()).toContain(`"${script}"`);
  expect((await fetch(`${mounted.url}/ui/agent`, init)).status).toBe(404);
});

test("without esbuild the graphs load, and one message says what to do", async () => {
  await using copy = await copyOfProject(fixture);
  await rm(join(copy.folder, "node_modules"));
  await mkdir(join(copy.folder, "node_modules"));
  const packages = fileURLToPath(new URL("../../../node_modules/@langchain", import.meta.url));
  await symlink(packages, join(copy.folder, "node_modules/@langchain"), "dir");
  await writeFile(join(copy.folder, "package.json"), "{}");
  const lines: string[] = [];
  const config = await readGraphConfig(join(copy.folder, "graph.json"));
  await using project = await startProject(config, { onLog: ({ text }) => lines.push(text) });
  await using bare = await startAgentOf(project);
  const detail = `ui needs esbuild, which isn't installed in ${copy.folder}: run npm install --save-dev esbuild there.`;
  expect(lines).toEqual([detail]);
  expect(await bare.call("POST", "/ui/agent", { name: "counter" })).toMatchObject({ status: 500, body: { detail } });
  expect((await bare.call("POST", "/runs/wait", { assistant_id: "agent", input: { text: "a" } })).status).toBe(200);
});
