import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { checkout } from "../../../scripts/run-command.ts";
import { type CodeBlock, codeBlocks, markdownPages } from "../../kit/docs/markdown.ts";
import { actionFile } from "../../kit/github/step.ts";

const blocks = markdownPages()
  .filter(({ path }) => !path.startsWith("docs/reference/api/") && !path.startsWith("bench/"))
  .flatMap(codeBlocks);

const place = ({ page, line }: CodeBlock) => `${page}:${line}`;
const inLanguage = (language: string) => blocks.filter((block) => block.language === language);

/** Languages whose blocks this file checks, or that render as pictures. */
const checkedHere = ["ts", "json", "yaml", "mermaid", "text"];

test("every code block is checked here, run by the test that its comment names, or excluded with a reason", () => {
  const unexplained = blocks.filter(({ page, language, comment }) => {
    if (comment.startsWith("examples/") || /^not run: \S/.test(comment)) return false;
    const runBy = /^run by (\S+)$/.exec(comment)?.[1];
    if (runBy === undefined) return !checkedHere.includes(language);
    return !existsSync(join(checkout, runBy)) || !readFileSync(join(checkout, runBy), "utf8").includes(basename(page));
  });
  expect(unexplained.map(place)).toEqual([]);
});

test("JSON blocks can be parsed", () => {
  for (const block of inLanguage("json")) expect(() => JSON.parse(block.code), place(block)).not.toThrow();
});

interface Step {
  uses?: string;
  with?: Record<string, unknown>;
}

/** Every step in a piece of a workflow, at any depth. */
function stepsIn(value: unknown): Step[] {
  if (typeof value !== "object" || value === null) return [];
  const own = "uses" in value ? [value as Step] : [];
  return [...own, ...Object.values(value).flatMap(stepsIn)];
}

test("YAML blocks can be parsed, and use only inputs that the Action has", () => {
  for (const block of inLanguage("yaml")) {
    const steps = stepsIn(parse(block.code)).filter(({ uses }) => uses?.startsWith("OWNER/graphdeploy@"));
    const inputs = steps.flatMap((step) => Object.keys(step.with ?? {}));
    expect(Object.keys(actionFile.inputs), place(block)).toEqual(expect.arrayContaining(inputs));
  }
});

/** The type errors in TypeScript blocks, with their locations. */
function typeErrors(blocks: readonly CodeBlock[]): string[] {
  const files = new Map(blocks.map((block, index) => [join(checkout, "docs", `block-${index}.ts`), block] as const));
  const { config } = ts.readConfigFile(join(checkout, "tsconfig.json"), ts.sys.readFile);
  const options: ts.CompilerOptions = {
    ...ts.parseJsonConfigFileContent(config, ts.sys, checkout).options,
    paths: {
      graphdeploy: [join(checkout, "provider/index.ts")],
      "graphdeploy/core": [join(checkout, "core/index.ts")],
      "graphdeploy/mock-server": [join(checkout, "mock-server/index.ts")],
    },
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile } = host;
  // Without an import or export, a block would share its global names with all others.
  const codeOf = (name: string) => (files.has(name) ? `${files.get(name)?.code}\nexport {};\n` : undefined);
  host.fileExists = (name) => files.has(name) || fileExists(name);
  host.readFile = (name) => codeOf(name) ?? readFile(name);
  const program = ts.createProgram([...files.keys()], options, host);
  return [...files].flatMap(([name, block]) => {
    const source = program.getSourceFile(name);
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return found.map(({ messageText }) => `${place(block)}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`);
  });
}

test("TypeScript blocks have no type errors, and a planted one is found", () => {
  // Blocks from examples/ are checked and run with their projects.
  const shown = inLanguage("ts").filter(({ comment }) => !comment.startsWith("examples/"));
  const code = 'import { ControlPlane } from "graphdeploy/core";\nnew ControlPlane({ url: "x" });\n';
  const planted: CodeBlock = { page: "planted.md", line: 1, language: "ts", code, comment: "" };
  expect(shown.length).toBeGreaterThan(10);
  expect(typeErrors([...shown, planted])).toEqual([expect.stringMatching(/^planted\.md:1: .*'url' does not exist/s)]);
});
