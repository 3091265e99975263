// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the declarative file
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createConfinedReader } from "../../../../core/declare/file/substitution.ts";
import { read, shownProblems } from "./read.ts";

const folder = mkdtempSync(join(tmpdir(), "graphdeploy-file-"));
const project = join(folder, "project");
afterAll(() => rmSync(folder, { recursive: true }));

mkdirSync(join(project, "keys"), { recursive: true });
writeFileSync(join(folder, "outside.txt"), "outside of the project");
writeFileSync(join(project, "keys", "signing.pem"), "first line\nsecond line\n");
writeFileSync(join(project, "binary"), Uint8Array.of(0xff, 0xfe, 0x00));
writeFileSync(join(project, "large"), "x".repeat(64 * 1024 + 1));
symlinkSync(join(folder, "outside.txt"), join(project, "link-outside"));
symlinkSync(folder, join(project, "folder-outside"));
symlinkSync("keys/signing.pem", join(project, "link-inside"));

const readFile = createConfinedReader(project);

function readEnv(entries: Record<string, string>, env: Record<string, string | undefined> = {}, field = "env") {
  return read(
    `version: 1
deployments:
  chat:
    source: external_docker
    source_revision_config: { image_uri: registry/agent:1 }
    ${field}: ${JSON.stringify(entries)}
`,
    { env, readFile },
  );
}

test("variables, defaults and dollar signs are filled in, once", () => {
  const { problems, deployments, secrets } = readEnv(
    {
      A: "${NAME}",
      B: "x-${NAME}-${OTHER}-y",
      C: "${NONE:-a default}",
      D: "${EMPTY:-another: default}",
      E: "${EMPTY}",
      F: "${NONE:-}",
      G: "$$ $${NAME} pa$word $",
      H: "${NESTED}",
    },
    { NAME: "value", OTHER: "other", EMPTY: "", NESTED: "${NAME} $$ $(id) `id`" },
  );
  expect(problems).toEqual([]);
  expect(deployments[0]?.desired.env).toEqual({
    A: "value",
    B: "x-value-other-y",
    C: "a default",
    D: "another: default",
    E: "",
    F: "",
    G: "$ ${NAME} pa$word $",
    H: "${NAME} $$ $(id) `id`",
  });
  expect([...secrets].sort()).toEqual(["${NAME} $$ $(id) `id`", "other", "value"]);
});

test("keys aren't filled in", () => {
  expect(shownProblems(readEnv({ "${NAME}": "a" }, { NAME: "B" }))).toEqual([
    "6:21 deployments.chat.env[…]: isn't a valid name of an environment variable (letters, digits and _, not starting with a digit).",
  ]);
});

test("only the environment's own keys are variables, not inherited properties", () => {
  expect(shownProblems(readEnv({ A: "${constructor}", B: "${__proto__}" }))).toEqual([
    "6:15 deployments.chat.env.A: needs the environment variable constructor, which isn't set.",
    "6:36 deployments.chat.env.B: needs the environment variable __proto__, which isn't set.",
  ]);
});

test("files are filled in without their last line break", () => {
  const { problems, deployments } = readEnv({
    A: "${file:keys/signing.pem}",
    B: "${file:link-inside}",
    C: "${file:./keys/../keys/signing.pem}",
  });
  expect(problems).toEqual([]);
  expect(new Set(Object.values(deployments[0]?.desired.env ?? {}))).toEqual(new Set(["first line\nsecond line"]));
});

test.each([
  ["../outside.txt", "is outside of this file's folder."],
  ["keys/../../outside.txt", "is outside of this file's folder."],
  ["../nothing-there.txt", "is outside of this file's folder."],
  ["link-outside", "is outside of this file's folder."],
  ["folder-outside/outside.txt", "is outside of this file's folder."],
  [join(folder, "outside.txt"), "isn't relative to this file's folder."],
  ["", "isn't relative to this file's folder."],
  ["none.txt", "doesn't exist."],
  ["keys", "isn't a file."],
  ["binary", "isn't UTF-8 text."],
  ["large", "is larger than 64 KiB."],
])("the file %s is refused: %s", (path, message) => {
  expect(shownProblems(readEnv({ A: `\${file:${path}}` }))).toEqual([
    `6:15 deployments.chat.env.A: needs the file ${path}, which ${message}`,
  ]);
});

test("filled-in values and secrets appear in no message, and are returned for redaction", () => {
  const text = `version: 1
defaults:
  secrets: { SHARED: literal-secret-1 }
deployments:
  chat:
    source: github
    source_config: { repo_url: https://github.com/acme/chat, build_on_push: true }
    source_revision_config: { repo_ref: "refs/heads/\${REF}", graph_config_path: graph.json }
    secrets: { TOKEN: "\${TOKEN}", PEM: "\${file:keys/signing.pem}" }
  search:
    source: github
    source_config: { repo_url: https://github.com/acme/chat, build_on_push: true }
    source_revision_config: { repo_ref: "\${TAG}", graph_config_path: graph.json }
  branch:
    source: github
    source_config: { repo_url: https://github.com/acme/chat }
    source_revision_config: { repo_ref: "\${BRANCH}", graph_config_path: graph.json }
environments:
  staging:
    deployments: { chat: { secrets: { OTHER: literal-secret-2 } } }
`;
  const env = {
    REF: "secret-ref",
    TOKEN: "token-of-somebody",
    TAG: "refs/tags/secret-tag",
    BRANCH: "refs/heads/secret-branch",
  };
  const file = read(text, { env, readFile });
  expect(shownProblems(file)).toEqual([
    '8:41 deployments.chat.source_revision_config.repo_ref: is the full ref of a branch; write "[redacted]".',
    "12:77 deployments.search.source_config.build_on_push: must be false with the tag [redacted]: a tag doesn't move, so no push can build it.",
    '17:41 deployments.branch.source_revision_config.repo_ref: is the full ref of a branch; write "[redacted]".',
  ]);
  expect(file.secrets).toEqual(
    expect.arrayContaining([
      ...["literal-secret-1", "literal-secret-2", "first line\nsecond line"],
      ...["secret-ref", "token-of-somebody", "refs/tags/secret-tag", "refs/heads/secret-branch"],
    ]),
  );
});

test("variables that only another environment needs aren't missed", () => {
  const text = `version: 1
deployments:
  chat: { source: external_docker, source_revision_config: { image_uri: registry/agent:1 } }
environments:
  production: { deployments: { chat: { secrets: { TOKEN: "\${PRODUCTION_TOKEN}" } } } }
`;
  expect(read(text).problems).toEqual([]);
  expect(shownProblems(read(text, { environment: "production" }))).toEqual([
    "5:58 environments.production.deployments.chat.secrets.TOKEN: needs the environment variable PRODUCTION_TOKEN, which isn't set.",
  ]);
});

test.each([
  ["secrets: { K sk-planted-0123, L:sk-planted-0123 }", "deployments.chat.secrets[…]: is empty"],
  ["secrets: { sk-planted-0123: K }", "deployments.chat.secrets[…]: "],
  ["env: { sk-planted-0123: K }", "deployments.chat.env[…]: "],
  ["sk-planted-0123: 1", "deployments.chat[…]: is not a known key"],
])("a value in place of a key isn't shown: %s", (entry, shown) => {
  const text = `version: 1\ndeployments:\n  chat:\n    source: github\n    source_config: { repo_url: https://github.com/acme/a }\n    source_revision_config: { repo_ref: main, graph_config_path: graph.json }\n    ${entry}\n`;
  const { problems } = read(text);
  expect(JSON.stringify(problems)).not.toContain("sk-planted");
  expect(problems.map(({ path, message }) => `${path}: ${message}`).join("\n")).toContain(shown);
});
