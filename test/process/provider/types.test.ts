import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { checkout } from "../../kit/pulumi/command-line.ts";

const wrongProgram = join(checkout, "test/fixtures/typed-programs/wrong.ts");
const editedProgram = join(checkout, "test/fixtures/typed-programs/edited.ts");
let edited = "";
let version = 0;

const { config } = ts.readConfigFile(join(checkout, "tsconfig.json"), ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, checkout);
/** Shared by all tests, because reading the SDK's types takes long. */
const service = ts.createLanguageService({
  getCompilationSettings: () => options,
  getScriptFileNames: () => [wrongProgram, editedProgram],
  getScriptVersion: (name) => (name === editedProgram ? String(version) : "0"),
  getScriptSnapshot: (name) => {
    const content = name === editedProgram ? edited : ts.sys.readFile(name);
    return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
  },
  getCurrentDirectory: () => checkout,
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: ts.sys.fileExists,
  readFile: ts.sys.readFile,
});

test("each mistake in a program is one error, on its line", () => {
  const lines = (ts.sys.readFile(wrongProgram) ?? "").split("\n");
  const wrong = lines.flatMap((line, index) => (line.endsWith("// wrong") ? [index + 1] : []));
  const errors = [...service.getSyntacticDiagnostics(wrongProgram), ...service.getSemanticDiagnostics(wrongProgram)];
  const found = errors.map(({ file, start = 0, messageText }) => ({
    line: (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1,
    message: ts.flattenDiagnosticMessageText(messageText, "\n"),
  }));
  expect(
    found.map(({ line }) => line),
    JSON.stringify(found, null, 2),
  ).toEqual(wrong);
  for (const { message } of found) expect(message).not.toContain("No overload matches");
});

test("an editor completes the values and fields that the platform currently has", () => {
  const completed = (text: string) => {
    edited = `import { Deployment, Provider } from "../../../provider/index.ts";\n${text.replace("|", "")}`;
    version += 1;
    const position = edited.lastIndexOf("\n") + 1 + text.indexOf("|");
    return service.getCompletionsAtPosition(editedProgram, position, {})?.entries.map(({ name }) => name);
  };
  expect(completed('new Deployment("a", { name: "a", source: "|" });')).toEqual(
    expect.arrayContaining(["github", "external_docker", "internal_docker", "internal_source"]),
  );
  expect(completed('new Deployment("a", { name: "a", sourceConfig: { deploymentType: "|" } });')).toEqual(
    expect.arrayContaining(["dev", "prod"]),
  );
  expect(completed('new Provider({ region: "|" });')).toEqual(expect.arrayContaining(["us", "eu"]));
  expect(completed('new Deployment("a", { name: "a", sourceConfig: { resourceSpec: { | } } });')).toEqual(
    expect.arrayContaining(["minScale", "memoryMb", "cpu"]),
  );
});
