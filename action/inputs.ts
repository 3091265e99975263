import { graphConfigFileNames } from "../core/client/wire/conventions.ts";
import { isMarkerName, sources } from "../core/client/wire/deployments.ts";
import type { DesiredDeployment } from "../core/declare/deployment.ts";
import type { Problem } from "../core/declare/validation.ts";
import { validateDesired } from "../core/declare/validation.ts";
import { resolveSettings, type Settings } from "../core/settings.ts";
import { parseTimeout } from "../core/time.ts";
import { readDeclared } from "./declared-input.ts";
import { type EnvironmentInput, possibleValues, readEnvironment, readNames } from "./environment-input.ts";
import type { WorkflowEvent } from "./event.ts";
import type { InputName } from "./input-defaults.ts";
import { inInputNames, inputOf } from "./input-names.ts";
import type { InputProblem } from "./input-problem.ts";
import { InputReader } from "./input-reader.ts";
import { jobTokenProblems } from "./job-token.ts";
import { type Operation, operations } from "./operations.ts";
import { readSmokeTest, type SmokeTest } from "./smoke-test-input.ts";

/** The inputs, validated once. */
export interface Inputs {
  /** `undefined` without an API key, with `on-missing-credentials: skip`. */
  settings: Settings | undefined;
  /** Whether there is an API key, valid or not. */
  hasApiKey: boolean;
  operation: Operation;
  ref: string | undefined;
  sha: string | undefined;
  /** The pull request, for events that have none. */
  pullRequest: number | undefined;
  /** The declaration, without a ref. */
  declared: DesiredDeployment;
  /**
   * Problems that matter only to a run that uses the declaration: a deletion needs neither values nor a configuration
   * file.
   */
  declarationProblems: readonly InputProblem[];
  /** What happens to undeclared environment entries on the platform. */
  envUpdate: "merge" | "replace";
  /** Names to remove from the environment. */
  envRemove: readonly string[];
  /** Whether to take over a deployment that isn't this repository's. */
  adopt: boolean;
  /** Whether a plan with changes fails. */
  expectNoChanges: boolean;
  previewName: string;
  wait: boolean;
  timeoutMs: number;
  onSuperseded: "fail" | "warn";
  onCancel: "continue" | "interrupt";
  onFailure: "none" | "rollback";
  smokeTest: SmokeTest | undefined;
  /**
   * The GitHub environment, where `{name}` stands for the deployment's name; `undefined` to write no GitHub deployment.
   */
  githubEnvironment: string | undefined;
  githubToken: string | undefined;
  comment: boolean;
  summary: boolean;
}

export interface InputSources {
  /** Returns the text of an input; empty if it isn't given. */
  get(name: InputName): string;
  env: Readonly<Record<string, string | undefined>>;
  event: WorkflowEvent;
  /** Called with every secret value before it is used. */
  keepSecret(value: string): void;
}

/** All problems with the inputs. */
export class InputError extends Error {
  readonly problems: readonly InputProblem[];
  constructor(problems: readonly InputProblem[]) {
    super(problems.map(({ input, message }) => `${input}: ${message}`).join("\n"));
    this.name = "InputError";
    this.problems = problems;
  }
}

/** Reads all inputs, and collects their problems so that one run shows them all. */
export function readInputs(sources: InputSources): { inputs: Inputs; problems: InputProblem[] } {
  const { event, env, keepSecret } = sources;
  const reader = new InputReader(sources.get);
  const { text, flag, withDefault } = reader;
  for (const name of ["api-key", "github-token"] as const) keepEach(text(name) ?? "", keepSecret);
  const values = readValues(reader, env, keepSecret);
  const skipsMissing = reader.choice("on-missing-credentials", ["fail", "skip"]) === "skip";
  const { settings, hasApiKey } = readSettings(reader, env, skipsMissing);
  if (settings !== undefined) keepEach(settings.apiKey, keepSecret);
  const target = readTarget(reader);
  const given = readDeclared({ text, flag, withDefault, env, event });
  reader.problems.push(...given.problems);
  const declared = { ...given.declared, env: values.env.entries, secrets: values.secrets.entries };
  checkRemovals(reader, values, Object.keys(declared.secretReferences ?? {}));
  const githubToken = text("github-token");
  const valueProblems = [
    ...missingValueProblems("secrets", values.secrets, values.allowedEmpty),
    ...missingValueProblems("env", values.env, values.allowedEmpty),
    ...jobTokenProblems("secrets", values.secrets, githubToken),
    ...jobTokenProblems("env", values.env, githubToken),
  ];
  const inputs: Inputs = {
    ...target,
    settings,
    hasApiKey,
    declared,
    // A run that is skipped without a key lacks other secrets, too.
    declarationProblems: skipsMissing && !hasApiKey ? [] : [...given.checkoutProblems, ...valueProblems],
    envUpdate: reader.choice("env-update", ["merge", "replace"]),
    envRemove: values.removed,
    adopt: flag("adopt") ?? false,
    wait: flag("wait") ?? true,
    timeoutMs: reader.guarded("timeout", () => parseTimeout(withDefault("timeout"), "timeout")) ?? 1,
    onSuperseded: reader.choice("on-superseded", ["fail", "warn"]),
    onCancel: reader.choice("on-cancel", ["continue", "interrupt"]),
    onFailure: reader.choice("on-failure", ["none", "rollback"]),
    smokeTest: values.smokeTest,
    githubEnvironment: text("github-environment"),
    githubToken,
    comment: flag("comment") ?? true,
    summary: flag("summary") ?? true,
  };
  return { inputs, problems: reader.problems };
}

/** The multi-line inputs. */
interface Values {
  env: EnvironmentInput;
  secrets: EnvironmentInput;
  /** Names to remove from the environment. */
  removed: readonly string[];
  /** Names whose values may be empty. */
  allowedEmpty: readonly string[];
  smokeTest: SmokeTest | undefined;
}

function readValues(reader: InputReader, env: InputSources["env"], keepSecret: InputSources["keepSecret"]): Values {
  const { rawText } = reader;
  const secrets = readEnvironment("secrets", rawText("secrets"), env);
  const isMalformed = secrets.entries === undefined || secrets.problems.length > 0;
  for (const value of isMalformed ? possibleValues(rawText("secrets")) : Object.values(secrets.entries ?? {})) {
    keepEach(value, keepSecret);
  }
  const plain = readEnvironment("env", rawText("env"), env);
  const removed = readNames("env-remove", rawText("env-remove"));
  const allowed = readNames("allow-empty", rawText("allow-empty"));
  const smoke = readSmokeTest(rawText("smoke-test"));
  for (const read of [secrets, plain, removed, allowed, smoke]) reader.problems.push(...read.problems);
  return { env: plain, secrets, removed: removed.names, allowedEmpty: allowed.names, smokeTest: smoke.smokeTest };
}

/** Resolves the settings; a missing key isn't a problem if the run is then skipped. */
function readSettings(
  reader: InputReader,
  env: InputSources["env"],
  skipsMissing: boolean,
): Pick<Inputs, "settings" | "hasApiKey"> {
  const explicit = {
    apiKey: reader.text("api-key"),
    workspaceId: reader.text("workspace-id"),
    region: reader.text("region"),
    baseUrl: reader.text("base-url"),
    dialect: reader.text("dialect"),
  };
  const resolved = resolveSettings({ explicit, env, names: { explicit: "the input api-key" } });
  const { settings, problems, hasApiKey } = resolved;
  for (const problem of problems) {
    if (problem.path === "apiKey" && !hasApiKey && skipsMissing) continue;
    reader.reportError(inputOf([problem.path ?? ""])?.input ?? "api-key", problem);
  }
  return { settings, hasApiKey };
}

type TargetFields = "operation" | "ref" | "sha" | "pullRequest" | "previewName" | "expectNoChanges";

/** Reads the operation, and the ref or pull request that it is about. */
function readTarget(reader: InputReader): Pick<Inputs, TargetFields> {
  const { text, flag, withDefault } = reader;
  if (text("name") === undefined) reader.report("name", "is required: the name of the deployment.");
  const ref = text("ref");
  if (ref !== undefined && /^[0-9a-f]{40}$/i.test(ref)) {
    reader.report("ref", "is a commit: name a branch or refs/tags/<tag> here, and give the commit as sha.");
  } else if (ref?.startsWith("refs/") && !/^refs\/(heads|tags)\/./.test(ref)) {
    reader.report("ref", `is ${JSON.stringify(ref)}, which is neither a branch nor refs/tags/<tag>.`);
  }
  const sha = text("sha");
  if (sha !== undefined && !/^([0-9a-f]{40}|[0-9a-f]{64})$/i.test(sha)) {
    reader.report("sha", "is not the full SHA of a commit (40 hexadecimal digits).");
  }
  const pullRequest = readPullRequest(reader);
  const previewName = withDefault("preview-name");
  if (!previewName.includes("{number}")) {
    reader.report("preview-name", "has no {number} in it, so that all pull requests would share one preview.");
  }
  const operation = reader.choice("operation", operations);
  const expectNoChanges = flag("expect-no-changes") ?? false;
  if (expectNoChanges && operation !== "plan") {
    const message = `belongs to the operation "plan", and this one is ${JSON.stringify(operation)}.`;
    reader.report("expect-no-changes", message);
  }
  return { operation, ref, sha: sha?.toLowerCase(), pullRequest, previewName, expectNoChanges };
}

function readPullRequest(reader: InputReader): number | undefined {
  const given = reader.text("pull-request");
  if (given === undefined) return undefined;
  if (/^[1-9]\d{0,14}$/.test(given)) return Number(given);
  reader.report("pull-request", `is ${JSON.stringify(given)}, which is not the number of a pull request.`);
  return undefined;
}

function checkRemovals(reader: InputReader, { env, secrets, removed }: Values, references: readonly string[]): void {
  const kept = [...namesIn(secrets), ...namesIn(env), ...references];
  const both = removed.filter((name) => kept.includes(name));
  if (both.length > 0) {
    reader.report("env-remove", `names ${both.join(", ")}, declared here as well. Keep one of the two.`);
  }
  const markers = removed.filter(isMarkerName);
  if (markers.length > 0) {
    const message = `names ${markers.join(", ")}, part of the ownership marker, which graphdeploy manages itself.`;
    reader.report("env-remove", message);
  }
}

function namesIn({ entries = {}, missing }: EnvironmentInput): string[] {
  return [...Object.keys(entries), ...missing];
}

/**
 * Problems about missing values. GitHub interpolates a missing secret as an empty string, which would replace the live
 * value.
 */
function* missingValueProblems(
  input: InputName,
  { entries = {}, missing }: EnvironmentInput,
  allowed: readonly string[],
): Generator<InputProblem> {
  const empty = Object.keys(entries).filter((name) => entries[name]?.trim() === "" && !allowed.includes(name));
  if (empty.length > 0) {
    const message = `has no value for ${empty.join(", ")}. GitHub gives nothing for a secret or variable that is missing: check its name and where it is set, or list what is meant to be empty in allow-empty.`;
    yield { input, message };
  }
  if (missing.length > 0) {
    const message = `names ${missing.join(", ")} without a value, and the env of the step has no such variable. Set it there, or write NAME=VALUE.`;
    yield { input, message };
  }
}

/**
 * The warning about a source that this version doesn't know; `undefined` if it is known. It isn't an error, since a
 * newer platform may accept it.
 */
export function unknownSource({ source }: DesiredDeployment): string | undefined {
  if ((sources as readonly string[]).includes(source)) return undefined;
  return `source: is ${JSON.stringify(source)}, which is none of those that are known: ${sources.join(", ")}. It is passed on unchanged.`;
}

/** The problems of a declaration, with the names of inputs. */
export function problemsOf(desired: DesiredDeployment): InputProblem[] {
  const { problems } = validateDesired(desired);
  return problems.filter(({ path }) => path[0] !== "name" || desired.name !== "").map(toInputProblem);
}

function toInputProblem({ path, message }: Problem): InputProblem {
  const { input, below } = inputOf(path) ?? { input: "source", below: "" };
  const hint =
    input === "graph-config-path" && message.startsWith("is required")
      ? ` Neither ${graphConfigFileNames.join(" nor ")} was found in the working directory: check out the repository before this step, or name the file.`
      : "";
  return { input, message: `${below} ${inInputNames(message)}${hint}`.trim() };
}

/** Masks a value and each of its lines, since a log prints them line by line. */
function keepEach(value: string, keepSecret: (value: string) => void): void {
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  for (const part of new Set([value, ...lines])) if (part !== "") keepSecret(part);
}
