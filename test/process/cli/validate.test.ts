import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { declarativeFileJsonSchema } from "../../../core/declare/file/schema.ts";
import { checkout } from "../../../scripts/run-command.ts";

const folder = mkdtempSync(join(tmpdir(), "graphdeploy-validate-"));
afterAll(() => rmSync(folder, { recursive: true }));

const cli = fileURLToPath(new URL("../../../cli/main.ts", import.meta.url));

interface Result {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the command in a new folder with these files. */
function validate(files: Record<string, string>, flags: string[], env: Record<string, string> = {}): Promise<Result> {
  const cwd = mkdtempSync(join(folder, "project-"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(cwd, name, ".."), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  const options = { cwd, env: { PATH: process.env.PATH, ...env } };
  return new Promise((resolve) => {
    execFile(process.execPath, [cli, "validate", ...flags], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

const image = "source: external_docker, source_revision_config: { image_uri: registry/agent:1 }";
const file = `version: 1
deployments:
  chat: { ${image}, secrets: { TOKEN: "\${TOKEN}", KEY: "\${file:keys/key.pem}" } }
  search: { ${image} }
environments:
  production: { deployments: { billing: { ${image} } } }
`;
const keys = { "keys/key.pem": "a private key\n" };

test.each(["graphdeploy.yaml", "graphdeploy.yml"])(
  "a valid %s is found, and its deployments are counted",
  async (name) => {
    const env = { TOKEN: "token-of-somebody" };
    expect(await validate({ [name]: file, ...keys }, [], env)).toEqual({
      code: 0,
      stdout: `${name}: 2 deployments\n`,
      stderr: "",
    });
    expect(await validate({ [name]: file, ...keys }, ["--environment", "production"], env)).toMatchObject({
      code: 0,
      stdout: `${name}: 3 deployments\n`,
    });
  },
);

test("a file in another folder is validated, and its relative paths start at its own folder", async () => {
  const files = { "deploy/agents.yaml": file, "deploy/keys/key.pem": "a private key\n" };
  expect(await validate(files, ["deploy/agents.yaml"], { TOKEN: "token-of-somebody" })).toMatchObject({
    code: 0,
    stdout: "deploy/agents.yaml: 2 deployments\n",
  });
});

test("problems are printed one per line, and the exit code is 1", async () => {
  expect(await validate({ "graphdeploy.yaml": file.replace("search: {", "search: { nam: a,") }, [])).toEqual({
    code: 1,
    stdout: [
      "graphdeploy.yaml:3:111: deployments.chat.secrets.TOKEN: needs the environment variable TOKEN, which isn't set.",
      "graphdeploy.yaml:3:128: deployments.chat.secrets.KEY: needs the file keys/key.pem, which doesn't exist.",
      "graphdeploy.yaml:4:13: deployments.search.nam: is not a known key. Did you mean name?",
      "",
    ].join("\n"),
    stderr: "",
  });
});

test("a warning is a line of its own, and the file stays valid", async () => {
  const doubtful = file.replace("search: {", "search: { source_config: { resource_spec: { min_scal: 1 } },");
  const { code, stdout } = await validate({ "graphdeploy.yaml": doubtful, ...keys }, [], {
    TOKEN: "token-of-somebody",
  });
  expect(code).toBe(0);
  expect(stdout).toBe(
    [
      "graphdeploy.yaml:4:47: warning: deployments.search.source_config.resource_spec.min_scal: isn't a known field, and is passed on unchanged. Did you mean min_scale?",
      "graphdeploy.yaml: 2 deployments",
      "",
    ].join("\n"),
  );
});

test("a problem with the whole file has no path", async () => {
  expect(await validate({ "graphdeploy.json": "{" }, [])).toMatchObject({
    code: 1,
    stdout: "graphdeploy.json:1:1: opens a quote or bracket that is never closed.\n",
  });
});

test("--json prints names and problems", async () => {
  const valid = await validate({ "graphdeploy.yaml": file, ...keys }, ["--json"], { TOKEN: "token-of-somebody" });
  expect(valid.code).toBe(0);
  expect(JSON.parse(valid.stdout)).toEqual({
    file: "graphdeploy.yaml",
    deployments: ["chat", "search"],
    problems: [],
    warnings: [],
  });
  expect(valid.stdout).not.toContain("token-of-somebody");
  const broken = await validate({ "graphdeploy.yaml": "version: 1\n" }, ["--json"]);
  expect(broken.code).toBe(1);
  expect(JSON.parse(broken.stdout)).toEqual({
    file: "graphdeploy.yaml",
    deployments: [],
    problems: [{ file: "graphdeploy.yaml", line: 1, column: 1, path: "deployments", message: "is required." }],
    warnings: [],
  });
});

test.each([
  ["no file", {}, [], "error: This folder has no graphdeploy.yaml, graphdeploy.yml, graphdeploy.json. Name the file."],
  ["a file that isn't there", {}, ["none.yaml"], "error: There is no file none.yaml."],
  ["a folder", {}, ["."], "error: . can't be read (EISDIR)."],
  ["an unknown option", { "graphdeploy.yaml": file }, ["--enviroment", "a"], "error: unknown option '--enviroment'"],
  ["two files", { "graphdeploy.yaml": file }, ["a", "b"], "error: too many arguments"],
])("%s is a usage error with exit code 2", async (_, files, flags, message) => {
  const { code, stdout, stderr } = await validate(files as Record<string, string>, flags);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(message);
});

test("--help succeeds", async () => {
  expect(await validate({}, ["--help"])).toMatchObject({ code: 0, stdout: expect.stringContaining("--environment") });
});

test("the built package has the JSON Schema", () => {
  const text = readFileSync(join(checkout, "build", "graphdeploy.schema.json"), "utf8");
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(declarativeFileJsonSchema())));
});
