import type { z } from "zod";
import { Redactor } from "../../redact.ts";
import { type DeclaredDeployment, declareDeployment } from "./declaration.ts";
import { entriesOf, type FileNode, type Finding, type Path, partAt, plainValue, textsIn } from "./file-node.ts";
import { mergeLayers } from "./overlays.ts";
import { previewsOf } from "./previews.ts";
import { environmentFindings, previewFindings, referenceFindings } from "./references.ts";
import { type DeclaredPreviews, declarativeFileSchema, deploymentSchema } from "./schema.ts";
import { checkSchema } from "./schema-findings.ts";
import { Substitution, type SubstitutionSources } from "./substitution.ts";
import { parseFile } from "./syntax.ts";

export type { DeclaredDeployment } from "./declaration.ts";

export interface DeclarativeFileOptions extends SubstitutionSources {
  /** Path of the file, as it is shown; one that ends in `.json` is read as JSON, all others as YAML. */
  path: string;
  /** The overlay to merge. Without one, the file's own defaults and deployments hold. */
  environment?: string | undefined;
  /**
   * Read the previews of this pull request instead of the deployments themselves. The overlay is then that of
   * `previews.environment`, unless `environment` names another.
   */
  pullRequest?: number | undefined;
}

/** One mistake in a file. Lines and columns count from 1; columns are UTF-16 units. */
export interface FileProblem {
  file: string;
  line: number;
  column: number;
  /** Where it is written, such as `deployments.chat.source`; empty for the file as a whole. */
  path: string;
  /** Reads on after the path. Secrets are redacted. */
  message: string;
}

/** A problem in one line: `<file>:<line>:<column>: <path>: <message>`. */
export function problemLine({ file, line, column, path, message }: FileProblem): string {
  return `${file}:${line}:${column}: ${path === "" ? "" : `${path}: `}${message}`;
}

/** A warning as {@link problemLine} has a problem. */
export function warningLine(warning: FileProblem): string {
  const { path, message } = warning;
  return problemLine({ ...warning, path: "", message: `warning: ${path === "" ? "" : `${path}: `}${message}` });
}

export interface DeclarativeFile {
  /** In the file's order. */
  deployments: readonly DeclaredDeployment[];
  previews: DeclaredPreviews | undefined;
  /** What variables and files gave, and the values of `secrets`: to be redacted wherever the file's content is shown. */
  secrets: readonly string[];
  /** All there are, by line. With any of them, the file declares nothing. */
  problems: readonly FileProblem[];
  /** What the platform may accept, but is probably a mistake, by line. */
  warnings: readonly FileProblem[];
}

/** Reads a declarative file: all of its mistakes at once, or what it declares in the chosen environment. Sends nothing. */
export function readDeclarativeFile(text: string, options: DeclarativeFileOptions): DeclarativeFile {
  const { root, findings: syntaxFindings } = parseFile(text, options.path.endsWith(".json"));
  if (root === undefined) {
    const problems = toProblems(syntaxFindings, options.path);
    return { deployments: [], previews: undefined, secrets: [], problems, warnings: [] };
  }
  const substitution = new Substitution(options);
  const written = partAt(root, ["previews"]);
  const previews = written === undefined ? undefined : substitution.fillIn(written);
  const declaredPreviews = previews === undefined ? undefined : (plainValue(previews) as DeclaredPreviews);
  const isPreview = options.pullRequest !== undefined;
  const environment = options.environment ?? (isPreview ? declaredPreviews?.environment : undefined);
  const { deployments: merged, findings: layerFindings } = mergeLayers(root, environment);
  const deployments = new Map([...merged].map(([key, node]) => [key, substitution.fillIn(node)]));
  const { declarations, findings: declarationFindings, warnings } = declareAll(deployments);
  const found = [
    checkSchema(root, declarativeFileSchema, true).findings,
    layerFindings,
    substitution.findings,
    declarationFindings,
    [...referenceFindings(deployments), ...environmentFindings(root), ...previewFindings(previews, root)],
  ].flat();
  // What couldn't be read at all has no value to judge.
  const unread = new Set(syntaxFindings.map(({ path }) => JSON.stringify(path)));
  const findings = [...syntaxFindings, ...found.filter(({ path }) => !unread.has(JSON.stringify(path)))];
  const secrets = new Set([...secretTexts(root, deployments.values()), ...substitution.filledIn]);
  const redactor = new Redactor(secrets);
  const problems = toProblems(findings, options.path, redactor);
  const isRight = problems.length === 0;
  const { pullRequest } = options;
  return {
    deployments: isRight ? (pullRequest ? previewsOf(declarations, declaredPreviews, pullRequest) : declarations) : [],
    previews: isRight ? declaredPreviews : undefined,
    secrets: [...secrets].filter((value) => value !== ""),
    problems,
    warnings: toProblems(warnings, options.path, redactor),
  };
}

function declareAll(deployments: ReadonlyMap<string, FileNode>): {
  declarations: DeclaredDeployment[];
  findings: Finding[];
  warnings: Finding[];
} {
  const declarations: DeclaredDeployment[] = [];
  const findings: Finding[][] = [];
  const warnings: Finding[][] = [];
  for (const [key, node] of deployments) {
    const shape = checkSchema(node, deploymentSchema, false);
    findings.push([...shape.findings]);
    if (node.kind !== "map") continue;
    const { desired, findings: ruleFindings, warnings: doubts } = declareDeployment(key, node, shape.doubtful);
    findings.push(ruleFindings);
    warnings.push(doubts);
    const { integration, depends_on, assistants, crons, store } = plainValue(node) as z.output<typeof deploymentSchema>;
    declarations.push({
      key,
      desired,
      integration,
      dependsOn: depends_on ?? [],
      assistants: assistants ?? {},
      crons: crons ?? {},
      store: store ?? [],
    });
  }
  return { declarations, findings: findings.flat(), warnings: warnings.flat() };
}

/** Every value under a key `secrets`, whatever its shape: in all layers as written, and in the merged deployments filled in. */
function* secretTexts(root: FileNode, deployments: Iterable<FileNode>): Generator<string> {
  for (const layer of [root, ...entriesOf(partAt(root, ["environments"])).values()]) {
    const owners = [partAt(layer, ["defaults"]), ...entriesOf(partAt(layer, ["deployments"])).values()];
    for (const owner of owners) {
      for (const text of textsIn(partAt(owner, ["secrets"]))) if (!text.includes("${")) yield text;
    }
  }
  for (const node of deployments) yield* textsIn(partAt(node, ["secrets"]));
}

/** What is shared by several deployments is found in each of them, and reported once. */
function toProblems(findings: readonly Finding[], file: string, redactor = new Redactor()): FileProblem[] {
  const problems = new Map<string, FileProblem>();
  for (const { path, position, message } of findings) {
    const shown = shownPath(path);
    const problem = { file, ...position, path: shown, message: redactor.text(message) };
    problems.set(JSON.stringify(problem), problem);
  }
  return [...problems.values()].sort((a, b) => a.line - b.line || a.column - b.column);
}

/** Maps whose keys are names that the user chose. */
const namedMaps: readonly unknown[] = ["deployments", "environments", "assistants", "crons"];

/**
 * A path as text. A key that can't be one of the file's is shown as `[…]`: where a colon or the space behind it is
 * missing, a secret value stands in the place of a key.
 */
function shownPath(path: Path): string {
  return path
    .map((part, index) => {
      if (typeof part === "number") return `[${part}]`;
      const isShown = (namedMaps.includes(path[index - 1]) ? /^[\w-]+$/ : /^\w+$/).test(part);
      if (!isShown) return "[…]";
      return index === 0 ? part : `.${part}`;
    })
    .join("");
}
