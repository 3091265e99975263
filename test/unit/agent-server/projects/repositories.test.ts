import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { until } from "../../../kit/agent-server/agent.ts";
import { copyOfProject } from "../../../kit/agent-server/projects/project-copy.ts";
import { type Api, apiOf, startForTest } from "../../../kit/mock-server/api.ts";

const repository = "https://github.com/acme/greeter";

const deployment = {
  name: "greeter",
  source: "github",
  source_config: { integration_id: "11111111-1111-4111-8111-111111111111", repo_url: repository },
  source_revision_config: { repo_ref: "main", graph_config_path: "graph.json" },
  secrets: [{ name: "PLACE", value: "a-secret-place" }],
};

/** The output of the graph on the deployment's agent server. */
async function greeting(agent: Api): Promise<string> {
  const { body } = await agent("POST", "/runs/wait", { assistant_id: "greeter", input: { name: "Ada" } });
  return body.greeting;
}

async function create(cloud: Api, changes: object = {}): Promise<{ id: string; revision: string; agent: Api }> {
  const { status, body } = await cloud("POST", "/v2/deployments", { ...deployment, ...changes });
  expect({ status, body }).toMatchObject({ status: 201 });
  return { id: body.id, revision: body.latest_revision_id, agent: apiOf(body.source_config.custom_url) };
}

async function statusOf(cloud: Api, id: string, revision: string): Promise<string> {
  return (await cloud("GET", `/v2/deployments/${id}/revisions/${revision}`)).body.status;
}

async function logOf(cloud: Api, id: string, revision: string, kind = "build"): Promise<string[]> {
  const { body } = await cloud("POST", `/v1/projects/${id}/revisions/${revision}/${kind}_logs`, {});
  return body.logs.map(({ message }: { message: string }) => message);
}

test("a build loads the graphs of the repository's folder, and the agent server runs them with the deployment's secrets", async () => {
  await using project = await copyOfProject("greeter");
  await using mock = await startForTest({ repositories: { [repository]: project.folder } });
  const { id, revision, agent } = await create(mock.cloud);
  expect(await statusOf(mock.cloud, id, revision)).toBe("DEPLOYED");
  expect(await logOf(mock.cloud, id, revision)).toContain("Loaded the graphs greeter");
  expect(await greeting(agent)).toBe("Hello Ada from a-secret-place");
  const assistants = (await agent("POST", "/assistants/search", {})).body;
  expect(assistants.map(({ name }: { name: string }) => name)).toEqual(["greeter"]);
  expect(await logOf(mock.cloud, id, revision, "deploy")).toContain("Loaded with Hello");
});

test.each([
  "git@github.com:acme/greeter.git",
  "ssh://git@github.com/acme/greeter",
  "https://GitHub.com/acme/greeter.git/",
])("%s is the same repository", async (url) => {
  await using project = await copyOfProject("greeter");
  await using mock = await startForTest({ repositories: { [url]: project.folder } });
  expect(await greeting((await create(mock.cloud)).agent)).toContain("Hello Ada");
});

test("other repositories run the scripted graphs", async () => {
  await using project = await copyOfProject("greeter");
  await using mock = await startForTest({ repositories: { [repository]: project.folder } });
  const { agent } = await create(mock.cloud, {
    source_config: { ...deployment.source_config, repo_url: "https://github.com/acme/other" },
  });
  expect((await agent("GET", "/assistants/agent")).status).toBe(200);
});

test("graphs that don't load fail the build, with the reason but no secrets in its log, and the old revision keeps serving", async () => {
  await using project = await copyOfProject("greeter");
  await using mock = await startForTest({ repositories: { [repository]: project.folder } });
  const { id, agent } = await create(mock.cloud);
  await writeFile(
    join(project.folder, "greeting.ts"),
    "export const greeting = (() => {\n  throw new Error('no ' + process.env.PLACE);\n})();\n",
  );

  const patched = await mock.cloud("PATCH", `/v2/deployments/${id}`, { source_revision_config: { repo_ref: "main" } });
  const broken = patched.body.latest_revision_id;
  expect(await statusOf(mock.cloud, id, broken)).toBe("BUILD_FAILED");
  const log = (await logOf(mock.cloud, id, broken)).join("\n");
  expect(log).toMatch(/ERROR: the graphs can't be loaded: .*graph\.ts.*no \[redacted\]/);
  expect(log).not.toContain("a-secret-place");
  expect(await greeting(agent)).toBe("Hello Ada from a-secret-place");
});

test("a new revision runs the folder's contents at build time once it is live", async () => {
  await using project = await copyOfProject("greeter");
  await using mock = await startForTest({ repositories: { [repository]: project.folder }, transitions: "manual" });
  const { id, revision, agent } = await create(mock.cloud);
  expect((await agent("GET", "/ok")).status).toBe(503);
  await mock.revisions.advance(revision, "DEPLOYED");
  const { body: thread } = await agent("POST", "/threads", {});
  expect(await greeting(agent)).toContain("Hello");

  await writeFile(join(project.folder, "greeting.ts"), 'export const greeting = "Good day";\n');
  const { body } = await mock.cloud("PATCH", `/v2/deployments/${id}`, {
    secrets: [{ name: "PLACE", value: "elsewhere" }],
  });
  expect(await greeting(agent)).toBe("Hello Ada from a-secret-place");
  await mock.revisions.advance(body.latest_revision_id, "DEPLOYED");
  expect(await greeting(agent)).toBe("Good day Ada from elsewhere");
  expect((await agent("GET", `/threads/${thread.thread_id}`)).status).toBe(200);
});

test("a configuration file that the folder doesn't have, or that lies outside of it, fails the build", async () => {
  await using project = await copyOfProject("greeter");
  await using mock = await startForTest({ repositories: { [repository]: project.folder } });
  for (const [path, reason] of [
    ["other.json", /the revision names other\.json, which doesn't exist/],
    ["../../../etc/passwd", /lies outside the folder/],
  ] as const) {
    const { id, revision } = await create(mock.cloud, {
      name: `bad-${path.length}`,
      source_revision_config: { repo_ref: "main", graph_config_path: path },
    });
    expect(await statusOf(mock.cloud, id, revision)).toBe("BUILD_FAILED");
    expect((await logOf(mock.cloud, id, revision)).join("\n")).toMatch(reason);
  }
});

test("a deployment restored from a snapshot runs its graphs again", async () => {
  await using project = await copyOfProject("greeter");
  await using mock = await startForTest({ repositories: { [repository]: project.folder } });
  const { agent } = await create(mock.cloud);
  const snapshot = await mock.snapshot.get();
  await mock.reset({ confirm: true });
  await mock.snapshot.put(snapshot, { confirm: true });
  expect(await greeting(agent)).toBe("Hello Ada from a-secret-place");
});

test("a deployment in a data directory runs its graphs again on a later server", async () => {
  await using project = await copyOfProject("greeter");
  const options = { repositories: { [repository]: project.folder }, dataDirectory: join(project.folder, "data") };
  const first = await startForTest(options);
  const { id } = await create(first.cloud);
  await first.close();
  await using second = await startForTest(options);
  const { body } = await second.cloud("GET", `/v2/deployments/${id}`);
  expect(await greeting(apiOf(body.source_config.custom_url))).toBe("Hello Ada from a-secret-place");
});

/** Makes a project's graphs load slowly from now on. The returned function resolves once they are loading. */
async function slowDown(folder: string): Promise<() => Promise<void>> {
  const marker = join(folder, "loading");
  const lines = [
    'import { writeFileSync } from "node:fs";',
    `writeFileSync(${JSON.stringify(marker)}, "");`,
    "await new Promise((resolve) => setTimeout(resolve, 2000));",
    'export const greeting = "Late";',
  ];
  await writeFile(join(folder, "greeting.ts"), lines.join("\n"));
  return () => until(async () => existsSync(marker));
}

test("a build that a closing server aborts leaves nothing in its data directory", async () => {
  await using project = await copyOfProject("greeter");
  const options = { repositories: { [repository]: project.folder }, dataDirectory: join(project.folder, "data") };
  const first = await startForTest({ ...options, transitions: "manual" });
  const { id } = await create(first.cloud);
  const before = (await first.snapshot.get()).content;
  const isLoading = await slowDown(project.folder);
  const changes = [
    first.cloud("PATCH", `/v2/deployments/${id}`, { source_revision_config: { repo_ref: "main" } }),
    first.cloud("POST", "/v2/deployments", { ...deployment, name: "second" }),
  ].map((change) => change.catch(() => "broken off"));
  await isLoading();
  await first.close();
  expect(await Promise.all(changes)).toEqual(["broken off", "broken off"]);
  await using second = await startForTest({ dataDirectory: options.dataDirectory });
  expect((await second.snapshot.get()).content).toEqual(before);
});

test("a revision that was being built during a reset isn't created", async () => {
  await using project = await copyOfProject("greeter");
  const options = { repositories: { [repository]: project.folder }, dataDirectory: join(project.folder, "data") };
  await using mock = await startForTest(options);
  const { id } = await create(mock.cloud);
  const isLoading = await slowDown(project.folder);
  const change = mock.cloud("PATCH", `/v2/deployments/${id}`, { source_revision_config: { repo_ref: "main" } });
  await isLoading();
  await mock.reset({ confirm: true });
  expect((await change).status).toBe(404);
  expect((await mock.snapshot.get()).content.revisions).toEqual([]);
});

test("a revision progresses while the next one is built, and is skipped only then", async () => {
  await using project = await copyOfProject("greeter");
  await using mock = await startForTest({ repositories: { [repository]: project.folder }, transitions: "time:1m" });
  const { id, revision } = await create(mock.cloud);
  const isLoading = await slowDown(project.folder);
  const change = mock.cloud("PATCH", `/v2/deployments/${id}`, { source_revision_config: { repo_ref: "main" } });
  await isLoading();
  mock.clock.advance("2m");
  expect(await statusOf(mock.cloud, id, revision)).toBe("DEPLOYED");
  await change;
  expect(await statusOf(mock.cloud, id, revision)).toBe("DEPLOYED");
});

test("a missing folder and two folders for one repository are refused at startup", async () => {
  await expect(startForTest({ repositories: { [repository]: "/surely/not/there" } })).rejects.toThrow(/no such folder/);
  const folders = { [repository]: "docs", "git@github.com:acme/greeter.git": "test" };
  await expect(startForTest({ repositories: folders })).rejects.toThrow(/two folders/);
});
