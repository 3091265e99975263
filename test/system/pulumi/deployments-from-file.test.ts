import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startMockServer } from "../../../mock-server/server.ts";
import { leaksIn } from "../../kit/planted-secrets.ts";
import { createPulumiProject, type PulumiProject, type PulumiResult } from "../../kit/pulumi/cli.ts";
import { pulumiCli } from "../../kit/pulumi/command-line.ts";
import { storedDeployments, storedRevisions } from "../../kit/stored.ts";

const cli = await pulumiCli();
const suffix = cli.path === undefined ? ` (skipped: ${cli.reason})` : "";

const secrets = {
  VARIABLE: "sk-planted-variable-0021",
  FILE: "sk-planted-file-0022",
  WRITTEN: "sk-planted-written-0023",
};

const program = (args = "{}") => `const pulumi = require("@pulumi/pulumi");
const { DeploymentsFromFile, getIntegrationsOutput } = require("graphdeploy");
const variables = { MODEL_KEY: new pulumi.Config().requireSecret("modelKey") };
const agents = new DeploymentsFromFile("agents", { variables, environment: "staging", ...${args} });
exports.urls = agents.urls;
exports.status = agents.deployments.search.revisionStatus;
exports.accounts = getIntegrationsOutput().apply(({ integrations }) => integrations.map(({ name }) => name));
`;

const file = (level: string, { support = true, key = "MODEL_KEY" } = {}) => `version: 1
defaults:
  source: github
  integration: auto
  source_config: { repo_url: https://github.com/acme/agents }
  source_revision_config: { repo_ref: main, graph_config_path: graph.json }
deployments:
  search:
    env: { LOG_LEVEL: ${level} }
${
  support
    ? `  support:
    depends_on: [search]
    secrets: { KEY: "\${${key}}", SIGNING: "\${file:key.pem}", WRITTEN: ${secrets.WRITTEN} }
    crons: { nightly: { schedule: "0 3 * * *", assistant_id: support } }
`
    : ""
}environments:
  staging:
    defaults: { display_name: Staging }
    deployments: { search: { name: search-staging } }
`;

/** Every file that Pulumi writes. */
async function keptFiles({ folder }: PulumiProject): Promise<string> {
  const files = await readdir(join(folder, ".state"), { recursive: true, withFileTypes: true });
  const paths = files.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return (await Promise.all(paths.map((path) => readFile(path, "utf8").catch(() => "")))).join("\n");
}

test.skipIf(cli.path === undefined)(
  `a declarative file is deployed, changed, broken, reduced and destroyed, without a secret in plain text${suffix}`,
  async () => {
    await using mock = await startMockServer({
      port: 0,
      transitions: "immediate",
      integrations: [
        {
          id: "11111111-1111-4111-8111-111111111111",
          name: "acme",
          repositories: [{ url: "https://github.com/acme/agents" }],
        },
      ],
    });
    await using stack = await createPulumiProject({
      cli: cli.path ?? "",
      kind: "commonjs",
      program: program(),
      environment: { GRAPHDEPLOY_BASE_URL: mock.url, GRAPHDEPLOY_API_KEY: "key-1" },
    });
    await stack.setConfig("modelKey", secrets.VARIABLE, { secret: true });
    await writeFile(join(stack.folder, "key.pem"), `${secrets.FILE}\n`);
    const write = (text: string) => writeFile(join(stack.folder, "graphdeploy.yaml"), text);
    const run = async (code: number, { code: actual, stdout, stderr }: PulumiResult) => {
      const text = stdout + stderr;
      expect(actual === 0 ? 0 : 1, text).toBe(code);
      expect(leaksIn(text, secrets)).toEqual([]);
      return text;
    };
    await write(file("info"));
    expect(await run(0, await stack.preview("--diff"))).toContain("4 to create");
    expect(await storedDeployments(mock)).toEqual([]);
    const created = await run(0, await stack.up());
    expect(created).toContain("support (crons). Run `graphdeploy apply` for it.");
    const [search, support] = await storedDeployments(mock);
    expect(search).toMatchObject({
      name: "search-staging",
      displayName: "Staging",
      sourceConfig: { integration_id: "11111111-1111-4111-8111-111111111111" },
    });
    expect(support?.secrets).toEqual(
      expect.arrayContaining([
        { name: "KEY", value: secrets.VARIABLE },
        { name: "SIGNING", value: secrets.FILE },
        { name: "WRITTEN", value: secrets.WRITTEN },
      ]),
    );
    expect(await stack.outputs()).toEqual({
      urls: { search: `${mock.url}/agents/${search?.id}`, support: `${mock.url}/agents/${support?.id}` },
      status: "DEPLOYED",
      accounts: ["acme"],
    });
    expect(await run(0, await stack.up())).toContain("4 unchanged");
    expect(await run(0, await stack.refresh())).toContain("4 unchanged");

    await write(file("debug"));
    expect(await run(0, await stack.up())).toMatch(/1 updated[\s\S]*3 unchanged/);
    expect((await storedRevisions(mock)).map(({ deploymentId }) => deploymentId)).toEqual([
      search?.id,
      support?.id,
      search?.id,
    ]);

    await write(file("debug", { key: "MODEL_KEYS" }).replace("integration:", "integraton:"));
    const broken = await run(1, await stack.up());
    expect(broken).toContain("graphdeploy.yaml has 2 problems:");
    expect(broken).toContain(
      "graphdeploy.yaml:4:3: defaults.integraton: is not a known key. Did you mean integration?",
    );
    expect(broken).toMatch(
      /graphdeploy\.yaml:\d+:\d+: deployments\.support\.secrets\.KEY: needs the environment variable/,
    );
    expect(broken).not.toMatch(/^\s+at /m);

    await write(file("debug", { support: false }));
    expect(await run(0, await stack.up())).toMatch(/1 deleted[\s\S]*3 unchanged/);
    expect((await storedDeployments(mock)).map(({ name }) => name)).toEqual(["search-staging"]);
    await stack.writeProgram(program("{ environment: undefined }"));
    // Without the overlay, it has another name, so a new deployment is created and the old one deleted.
    expect(await run(0, await stack.up())).toContain("1 replaced");
    expect((await storedDeployments(mock)).map(({ name }) => name)).toEqual(["search"]);
    await run(0, await stack.destroy());
    expect(await storedDeployments(mock)).toEqual([]);
    expect(leaksIn(await keptFiles(stack), secrets)).toEqual([]);
  },
);
