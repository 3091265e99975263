import { expect, test } from "vitest";
import { validateDesired } from "../../../core/declare/validation.ts";
import { declaration } from "../../kit/deployments.ts";

const image = { name: "a", source: "external_docker", sourceRevisionConfig: { imageUri: "registry/bot:1" } };
const config = declaration().sourceConfig;
const revision = declaration().sourceRevisionConfig;

/** Problems as `path: message`. */
function problemsOf(declared: unknown): string[] {
  return validateDesired(declared).problems.map(({ path, message }) => `${path.join(".")}: ${message}`);
}

test("a right declaration has no problems", () => {
  expect(problemsOf(declaration({ env: { A: "1" }, secrets: { B: "2" } }))).toEqual([]);
  expect(problemsOf(image)).toEqual([]);
});

test.each(["https://ghp_token@github.com/acme/agents", "https://x:ghp_token@github.com/acme/agents"])(
  "a repository's address %s with a credential in it is refused without showing it",
  (repoUrl) => {
    const problems = problemsOf(declaration({ sourceConfig: { ...config, repoUrl } }));
    expect(problems).toEqual([
      "sourceConfig.repoUrl: contains a user name or password, which would be stored in plain text. Leave it out: the integration has access.",
    ]);
    expect(
      problemsOf(declaration({ sourceConfig: { ...config, repoUrl: "ssh://git@github.com/acme/agents" } })),
    ).toEqual([]);
  },
);

test.each([
  "https://github.com/acme/agents.git",
  "http://git.internal:3000/acme/agents",
  "ssh://git@github.com:22/acme/agents",
  "git@github.com:acme/agents.git",
  "git@git.internal:/srv/agents.git",
  "HTTPS://GitHub.com/acme/agents/",
])("%s is the address of a repository", (repoUrl) => {
  expect(problemsOf(declaration({ sourceConfig: { ...config, repoUrl } }))).toEqual([]);
});

test.each([
  "ftp://files.example/acme/agents",
  "javascript:alert(1)",
  "file:///srv/agents",
  "data:,acme",
  "github.com/acme/agents",
  "acme/agents",
  "https:///acme/agents",
  "https://github.com",
  "https://github.com/acme/two words",
])("%s isn't the address of a repository, and isn't shown", (repoUrl) => {
  expect(problemsOf(declaration({ sourceConfig: { ...config, repoUrl } }))).toEqual([
    "sourceConfig.repoUrl: isn't the address of a repository. Write https://<host>/<path>, ssh://<user>@<host>/<path> or <user>@<host>:<path>.",
  ]);
});

test.each<[string, unknown, string[]]>([
  [
    "a tag with build_on_push",
    declaration({
      sourceConfig: { ...config, buildOnPush: true },
      sourceRevisionConfig: { ...revision, repoRef: "refs/tags/v1" },
    }),
    ["sourceConfig.buildOnPush: must be false with the tag refs/tags/v1: a tag doesn't move, so no push can build it."],
  ],
  [
    "a branch by its full ref",
    declaration({ sourceRevisionConfig: { ...revision, repoRef: "refs/heads/feature/x" } }),
    ['sourceRevisionConfig.repoRef: is the full ref of a branch; write "feature/x".'],
  ],
  [
    "both an image and a repository",
    declaration({ sourceRevisionConfig: { ...revision, imageUri: "registry/bot:1" } }),
    [
      "sourceRevisionConfig.imageUri: is declared together with sourceConfig.repoUrl: a deployment comes from an image or from a repository. Remove one.",
    ],
  ],
  ["an empty name", declaration({ name: "" }), ["name: must not be empty."]],
  ["no name", { ...declaration(), name: undefined }, ["name: is required."]],
  ["a name that is a number", { ...declaration(), name: 7 }, ["name: must be a string."]],
  [
    "a name in env and in secrets",
    declaration({ env: { TOKEN: "a" }, secrets: { TOKEN: "b" } }),
    ["secrets.TOKEN: is declared in env as well. Keep one of the two."],
  ],
  [
    "a name in secrets and in secretReferences",
    { ...image, secrets: { TOKEN: "b" }, secretReferences: { TOKEN: { secretName: "s", secretKey: "k" } } },
    ["secretReferences.TOKEN: is declared in secrets as well. Keep one of the two."],
  ],
  [
    "a reserved name",
    declaration({ secrets: { POSTGRES_URI: "x" } }),
    ["secrets.POSTGRES_URI: is reserved: the platform sets it itself. Choose another name."],
  ],
  [
    "a name that is reserved in the cloud",
    declaration({ env: { PORT: "1" } }),
    ["env.PORT: is reserved: the platform sets it itself. Choose another name."],
  ],
  [
    "our own mark",
    declaration({ env: { GRAPHDEPLOY_MANAGED_BY: "me" } }),
    ["env.GRAPHDEPLOY_MANAGED_BY: is part of the ownership marker, which graphdeploy manages itself."],
  ],
  [
    "a name that no environment variable can have",
    declaration({ env: { "A-B": "1" } }),
    ["env.A-B: isn't a valid name of an environment variable (letters, digits and _, not starting with a digit)."],
  ],
  ["an env value that is no string", declaration({ env: { A: 1 as never } }), ["env.A: must be a string."]],
  [
    "a secret that is undefined",
    declaration({ env: { A: undefined as never }, secrets: { TOKEN: undefined as never, OTHER: "b" } }),
    [
      "env.A: is null or undefined. Leave it out, or give it a value.",
      "secrets.TOKEN: is null or undefined. Leave it out, or give it a value.",
    ],
  ],
  [
    "an unknown field",
    { ...declaration(), buildOnPush: true },
    ["buildOnPush: is not a field here. It belongs to sourceConfig, as buildOnPush."],
  ],
  [
    "an unknown field further down",
    declaration({ sourceConfig: { ...config, repo_url: "x" } as never }),
    ["sourceConfig.repo_url: is not a field here. Did you mean repoUrl?"],
  ],
  [
    "a resource out of bounds",
    declaration({ sourceConfig: { ...config, resourceSpec: { cpu: 9, minScale: 1 } } }),
    ["sourceConfig.resourceSpec.cpu: too big: expected number to be <=8."],
  ],
  [
    "a repository source without its fields",
    { name: "a", source: "github" },
    [
      "sourceConfig.repoUrl: is required for the source github.",
      "sourceRevisionConfig.graphConfigPath: is required for the source github: the path of the graph configuration file in the repository.",
    ],
  ],
  [
    "an image source without an image",
    { name: "a", source: "external_docker" },
    ["sourceRevisionConfig.imageUri: is required for the source external_docker."],
  ],
  [
    "repository fields on an image",
    { ...image, sourceConfig: { buildOnPush: true }, sourceRevisionConfig: { imageUri: "a:1", repoRef: "main" } },
    [
      "sourceRevisionConfig.repoRef: belongs to the source github, not external_docker.",
      "sourceConfig.buildOnPush: can't be set for the source external_docker.",
    ],
  ],
  [
    "a URL of one's own in the cloud",
    declaration({ sourceConfig: { ...config, customUrl: "https://bot.example" } }),
    ["sourceConfig.customUrl: can only be set for the source external_docker."],
  ],
  ["nothing at all", undefined, [": is required."]],
])("%s is one clear problem", (_, declared, problems) => {
  expect(problemsOf(declared)).toEqual(problems);
});

test("self-hosted installations may set what the cloud reserves", () => {
  expect(problemsOf({ ...image, env: { PORT: "8000" } })).toEqual([]);
});

test("an unknown source is accepted", () => {
  expect(problemsOf({ name: "a", source: "internal_future" })).toEqual([]);
});

test("a null is reported at its path, and as nothing else", () => {
  const declared = {
    ...declaration(),
    name: null,
    env: { A: null, B: "b" },
    sourceConfig: { ...config, resourceSpec: { cpu: null, volumes: [{ name: null }] } },
    sourceRevisionConfig: null,
  };
  const { desired, problems } = validateDesired(declared);
  const paths = ["name", "sourceRevisionConfig", "env.A", "sourceConfig.resourceSpec.cpu"];
  paths.push("sourceConfig.resourceSpec.volumes.0.name");
  expect(problems.map(({ path }) => path.join(".")).toSorted()).toEqual(paths.toSorted());
  for (const { message } of problems)
    expect(message).toMatch(/^is null( or undefined)?\. Leave it out, or give it a value\.$/);
  expect(desired.env).toEqual({ B: "b" });
});

test("values that aren't known yet count as valid", () => {
  const unknown = Symbol("unknown");
  const problems = (declared: unknown) => validateDesired(declared, (value) => value === unknown).problems;
  expect(problems({ ...declaration(), name: unknown })).toEqual([]);
  expect(problems({ ...declaration(), sourceRevisionConfig: unknown })).toEqual([]);
  expect(problems({ name: "a", source: "github", sourceConfig: unknown, sourceRevisionConfig: unknown })).toEqual([]);
  expect(problems({ ...declaration(), sourceConfig: { ...config, resourceSpec: { volumes: [unknown] } } })).toEqual([]);
});

test("a problem next to an unknown value is still reported", () => {
  const unknown = Symbol("unknown");
  const declared = { ...declaration(), secrets: { A: unknown, POSTGRES_URI: "x" } };
  const { problems } = validateDesired(declared, (value) => value === unknown);
  expect(problems.map(({ path }) => path.join("."))).toEqual(["secrets.POSTGRES_URI"]);
});

test("what only one source allows isn't a problem while the source is unknown", () => {
  const unknown = Symbol("unknown");
  const declared = {
    name: "a",
    source: unknown,
    sourceConfig: { customUrl: "https://bot.example" },
    env: { PORT: "8000" },
    secretReferences: { TOKEN: { secretName: "agent", secretKey: "token" } },
  };
  expect(validateDesired(declared, (value) => value === unknown).problems).toEqual([]);
});
