import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { Deployment } from "../../../provider/deployment.ts";
import {
  DeploymentsFromFile,
  type DeploymentsFromFileArgs,
  type DeploymentsFromFileOptions,
} from "../../../provider/deployments-from-file.ts";
import { Provider } from "../../../provider/provider.ts";
import { unwrapSecrets } from "../../../provider/wrapped-secrets.ts";
import { agentArgs, platform, startGround } from "../../kit/provider/ground.ts";

const folder = mkdtempSync(join(tmpdir(), "graphdeploy-component-"));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.unstubAllEnvs());

let files = 0;

/** Writes a declarative file and returns its path. */
function written(text: string): string {
  const file = join(folder, `agents-${++files}.yaml`);
  writeFileSync(file, `version: 1\n${text}`);
  return file;
}

/** A file with two deployments, of which the first depends on the second. */
const two = (env = "info") => `
defaults:
  source: github
  source_config: { repo_url: https://github.com/acme/agents }
  source_revision_config: { repo_ref: main, graph_config_path: graph.json }
deployments:
  support: { depends_on: [search], env: { LOG_LEVEL: ${env} }, secrets: { KEY: "\${MODEL_KEY}" } }
  search: { name: search-agent }
environments:
  staging: { deployments: { support: { name: support-staging, display_name: Staging } } }
`;

interface Registered {
  name: string;
  type: string;
  inputs: Record<string, unknown>;
}

/** The resources that a program registers with Pulumi's mocks, in order; in a preview their outputs are unknown. */
async function registeredBy(build: () => unknown, { preview = false } = {}): Promise<Registered[]> {
  const registered: Registered[] = [];
  await pulumi.runtime.setMocks(
    {
      call: ({ inputs }) => inputs,
      newResource: ({ name, type, inputs }) => {
        const plain = unwrapSecrets(inputs) as Record<string, unknown>;
        registered.push({ name, type, inputs: plain });
        return { id: preview ? undefined : name, state: { ...plain, url: `https://agents.example/${name}` } };
      },
    },
    "program",
    "test",
    preview,
  );
  await build();
  await pulumi.runtime.disconnect();
  return registered;
}

const make = (args: DeploymentsFromFileArgs, opts?: DeploymentsFromFileOptions) =>
  new DeploymentsFromFile("agents", args, opts);

test("each deployment of the file becomes a resource with every field, and its URL an output", async () => {
  const file = written(`
deployments:
  chat:
    source: external_docker
    source_config:
      custom_url: https://chat.example.com
      resource_spec: { min_scale: 1, memory_mb: 2048 }
      listener_id: listener-1
      listener_config: { k8s_namespace: agents }
    source_revision_config: { image_uri: "registry.example.com/chat:1" }
    display_name: Chat
    env: { LOG_LEVEL: info }
    secrets: { TOKEN: sk-of-the-chat }
    secret_references: { DATABASE: { secret_name: database, secret_key: url } }
`);
  let urls: unknown;
  const registered = await registeredBy(async () => {
    const component = make({ file, adopt: true, timeouts: { create: "20m" } });
    urls = await new Promise((resolve) => pulumi.output(component.urls).apply(resolve));
    expect(Object.keys(component.deployments)).toEqual(["chat"]);
  });
  expect(registered.map(({ type, name }) => [type, name])).toEqual([
    ["graphdeploy:index:DeploymentsFromFile", "agents"],
    ["pulumi-nodejs:dynamic/graphdeploy:Deployment", "agents-chat"],
  ]);
  expect(registered[1]?.inputs).toMatchObject({
    name: "chat",
    source: "external_docker",
    sourceConfig: {
      customUrl: "https://chat.example.com",
      resourceSpec: { minScale: 1, memoryMb: 2048 },
      listenerId: "listener-1",
      listenerConfig: { k8sNamespace: "agents" },
    },
    sourceRevisionConfig: { imageUri: "registry.example.com/chat:1" },
    displayName: "Chat",
    env: { LOG_LEVEL: "info" },
    secrets: { TOKEN: "sk-of-the-chat" },
    secretReferences: { DATABASE: { secretName: "database", secretKey: "url" } },
    adopt: true,
    timeouts: { create: "20m" },
  });
  expect(JSON.stringify(registered[0]?.inputs)).toBe("{}");
  expect(urls).toEqual({ chat: "https://agents.example/agents-chat" });
});

test("outputs can be variables, and texts with them are secret or unknown if the outputs are", async () => {
  const file = written(`
deployments:
  chat:
    source: external_docker
    source_revision_config: { image_uri: "\${IMAGE}" }
    env: { GREETING: "Hi $$ \${NAME:-friend}", REGION: "\${REGION:-eu}" }
    secrets: { URL: "https://\${USER_NAME}:\${PASSWORD}@db" }
`);
  const variables = {
    IMAGE: pulumi.output("registry.example.com/chat:$&"),
    NAME: undefined,
    REGION: "us",
    USER_NAME: Promise.resolve("agent"),
    PASSWORD: pulumi.secret("sk-of-the-database"),
  };
  const [, chat] = await registeredBy(() => make({ file, variables }));
  expect(chat?.inputs).toMatchObject({
    sourceRevisionConfig: { imageUri: "registry.example.com/chat:$&" },
    env: { GREETING: "Hi $ friend", REGION: "us" },
    secrets: { URL: "https://agent:sk-of-the-database@db" },
  });

  const unknown = { ...variables, IMAGE: pulumi.output(pulumi.unknown as unknown as string) };
  const [, planned] = await registeredBy(() => make({ file, variables: unknown }), { preview: true });
  expect(JSON.stringify(planned?.inputs.sourceRevisionConfig)).not.toContain("registry");
  expect(planned?.inputs).toMatchObject({ env: { REGION: "us" } });
});

test("a variable that isn't a string is refused", () => {
  const file = written(two());
  const given = (MODEL_KEY: unknown) => () => make({ file, variables: { MODEL_KEY: MODEL_KEY as string } });
  expect(given(8080)).toThrow("variables.MODEL_KEY must be a string.");
  expect(given(null)).toThrow("variables.MODEL_KEY must be a string.");
});

test("a broken file is one error with every problem and its line, and registers nothing", async () => {
  const file = written(`
deployments:
  chat: { source: githb, secrets: { KEY: "\${MODEL_KEYS}", TOKEN: 1 } }
  chat-2: { source: github, depends_on: [chatt], source_config: { repo_url: "\${PASSWORD}" } }
`);
  const variables = { MODEL_KEY: "sk-of-a-model", PASSWORD: "sk-planted-in-a-url" };
  let error: Error | undefined;
  const registered = await registeredBy(() => {
    try {
      make({ file, variables });
    } catch (thrown) {
      error = thrown as Error;
    }
  });
  expect(registered).toEqual([]);
  expect(pulumi.RunError.isInstance(error)).toBe(true);
  const [title, ...lines] = error?.message.split("\n") ?? [];
  expect(title).toBe(`${file} has ${lines.length} problems:`);
  expect(lines.map((line) => line.replace(`${file}:`, ""))).toEqual(
    expect.arrayContaining([
      expect.stringMatching(
        /^4:\d+: deployments\.chat\.secrets\.KEY: needs the environment variable MODEL_KEYS.* Did you mean MODEL_KEY\?$/,
      ),
      expect.stringMatching(/^4:\d+: deployments\.chat\.secrets\.TOKEN: /),
      expect.stringMatching(/^5:\d+: deployments\.chat-2\.depends_on\[0\]: is not a deployment of this file/),
    ]),
  );
  expect(error?.message).not.toContain("sk-planted");
});

test("a missing file, an unknown environment and an unknown key of `only` are refused", () => {
  const file = written(two());
  const variables = { MODEL_KEY: "sk-of-a-model" };
  expect(() => make({ file: "none.yaml" })).toThrow("There is no file none.yaml.");
  expect(() => make({})).toThrow("There is no graphdeploy.yaml, graphdeploy.yml, graphdeploy.json in ");
  expect(() => make({ file, variables, environment: "stagin" })).toThrow(/has no stagin\. Did you mean staging\?/);
  expect(() => make({ file, variables, only: ["suport"] })).toThrow(
    `only: suport is not a deployment of ${file}. Did you mean support?`,
  );
});

test("`only` excludes the other deployments, and dependents don't wait for them", async () => {
  const args = { file: written(two()), variables: { MODEL_KEY: "sk-of-a-model" }, environment: "staging" };
  const registered = await registeredBy(() => make({ ...args, only: ["support"] }));
  expect(registered.map(({ name }) => name)).toEqual(["agents", "agents-support"]);
  expect(registered[1]?.inputs).toMatchObject({ name: "support-staging", displayName: "Staging" });
});

test("a provider of this package is passed on to each deployment", async () => {
  vi.stubEnv("MODEL_KEY", "sk-of-a-model");
  const registered = await registeredBy(() => {
    const { deployments } = make(
      { file: written(two()) },
      { provider: new Provider({ region: "eu", apiKeyEnv: "EU" }) },
    );
    expect(Object.keys(deployments).toSorted()).toEqual(["search", "support"]);
  });
  const deployments = registered.filter(({ type }) => type.endsWith(":Deployment"));
  expect(deployments).toHaveLength(2);
  for (const { inputs } of deployments) expect(inputs.connection).toEqual({ region: "eu", apiKeyEnv: "EU" });
});

test("a change of the file updates only the affected deployments, and a removed deployment is deleted", async () => {
  await using ground = await startGround();
  const up = async (text: string, args: DeploymentsFromFileArgs = {}) => {
    const file = written(text);
    const steps = await ground.engine.up(() => {
      const before = new Deployment("before", agentArgs({ name: "before" }));
      make({ file, variables: { MODEL_KEY: "sk-of-a-model" }, ...args }, { dependsOn: before, protect: true });
    });
    return steps.map(({ operation, name, error }) => `${operation} ${name}${error ?? ""}`);
  };
  expect(await up(two())).toEqual(["create before", "create agents", "create agents-search", "create agents-support"]);
  expect((await platform(ground.mock)).deployments.map(({ name }) => name)).toEqual([
    "before",
    "search-agent",
    "support",
  ]);
  const { dependencies = [], protect } = ground.engine.resources.get("agents-support") ?? {};
  expect(dependencies.map((urn) => urn.split("::").at(-1)).toSorted()).toEqual(["agents-search", "before"]);
  expect(protect).toBe(true);
  expect(await up(two("debug"))).toEqual(["same before", "same agents", "same agents-search", "update agents-support"]);
  const refused = await up(two("debug"), { only: ["search"] });
  expect(refused.slice(0, 3)).toEqual(["same before", "same agents", "same agents-search"]);
  expect(refused[3]).toContain("delete agents-support");
});
