import type { Problem } from "../core/declaration-problems.ts";
import type { DesiredDeployment } from "../core/desired.ts";
import { validateDesired } from "../core/desired-validation.ts";
import { graphConfigFileNames } from "../core/dialect.ts";
import { parseTimeout } from "../core/duration.ts";
import { ConfigError } from "../core/errors.ts";
import { isMarkerName } from "../core/ownership-marker.ts";
import { resolveSettings, type Settings } from "../core/settings.ts";
import { sources } from "../core/wire/source-config.ts";
import { readDeclared } from "./declared-input.ts";
import { type EnvironmentInput, possibleValues, readEnvironment, readNames } from "./environment-input.ts";
import type { WorkflowEvent } from "./event.ts";
import { type InputName, inputDefaults } from "./input-defaults.ts";
import { inInputNames, inputOf } from "./input-names.ts";
import type { InputProblem } from "./input-problem.ts";
import { jobTokenProblems } from "./job-token.ts";
import { type Operation, operations } from "./operations.ts";
import { readSmokeTest, type SmokeTest } from "./smoke-test-input.ts";

/** The inputs, read once; behind this nothing checks them again. */
export interface Inputs {
  /** `undefined`: there is no API key, and that is to be skipped. */
  settings: Settings | undefined;
  /** Whether there is an API key at all, right or wrong. */
  hasApiKey: boolean;
  operation: Operation;
  ref: string | undefined;
  sha: string | undefined;
  /** The pull request that is meant where the event has none. */
  pullRequest: number | undefined;
  /** What to deploy, without its ref. */
  declared: DesiredDeployment;
  /** Mistakes that matter only to a run that declares something: a deletion needs neither values nor a configuration file. */
  declarationProblems: readonly InputProblem[];
  /** What happens to environment entries on the platform that nobody declares here. */
  envUpdate: "merge" | "replace";
  /** Names that are removed from the environment. */
  envRemove: readonly string[];
  /** Take the deployment over where it isn't this repository's. */
  adopt: boolean;
  /** A plan that isn't empty fails. */
  expectNoChanges: boolean;
  previewName: string;
  wait: boolean;
  timeoutMs: number;
  onSuperseded: "fail" | "warn";
  onCancel: "continue" | "interrupt";
  onFailure: "none" | "rollback";
  smokeTest: SmokeTest | undefined;
  /** The GitHub environment, in which `{name}` stands for the deployment's name; `undefined`: no GitHub deployment is written. */
  githubEnvironment: string | undefined;
  githubToken: string | undefined;
  comment: boolean;
  summary: boolean;
}

export interface InputSources {
  /** The text of an input; empty where it isn't given. */
  get(name: InputName): string;
  env: Readonly<Record<string, string | undefined>>;
  event: WorkflowEvent;
  /** Called with every secret value before anything else is done with it. */
  keepSecret(value: string): void;
}

/** Mistakes in the inputs, all at once. */
export class InputError extends Error {
  readonly problems: readonly InputProblem[];
  constructor(problems: readonly InputProblem[]) {
    super(problems.map(({ input, message }) => `${input}: ${message}`).join("\n"));
    this.name = "InputError";
    this.problems = problems;
  }
}

/** Reads all inputs; mistakes are collected, so that one run shows them all. */
export function readInputs(sources: InputSources): { inputs: Inputs; problems: InputProblem[] } {
  const { event, env, keepSecret } = sources;
  const problems: InputProblem[] = [];
  const text = (name: InputName) => sources.get(name).trim() || undefined;
  const withDefault = (name: InputName) => text(name) ?? inputDefaults[name];

  for (const name of ["api-key", "github-token"] as const) keepEach(text(name) ?? "", keepSecret);
  const secrets = readEnvironment("secrets", sources.get("secrets"), env);
  for (const value of secrets.entries === undefined || secrets.problems.length > 0
    ? possibleValues(sources.get("secrets"))
    : Object.values(secrets.entries)) {
    keepEach(value, keepSecret);
  }
  const plain = readEnvironment("env", sources.get("env"), env);
  const removed = readNames("env-remove", sources.get("env-remove"));
  const allowed = readNames("allow-empty", sources.get("allow-empty"));
  const smoke = readSmokeTest(sources.get("smoke-test"));
  for (const read of [secrets, plain, removed, allowed, smoke]) problems.push(...read.problems);

  const choice = <const Value extends string>(name: InputName, values: readonly Value[]): Value => {
    const value = withDefault(name);
    if ((values as readonly string[]).includes(value)) return value as Value;
    problems.push({ input: name, message: `is ${JSON.stringify(value)}, which is none of ${values.join(", ")}.` });
    return values[0] as Value;
  };
  const flag = (name: InputName): boolean | undefined => {
    const value = withDefault(name);
    if (value === "") return undefined;
    if (/^(true|false)$/i.test(value)) return value.toLowerCase() === "true";
    problems.push({ input: name, message: `is ${JSON.stringify(value)}, which is neither true nor false.` });
    return undefined;
  };
  const guarded = <Value>(name: (path: string | undefined) => string, read: () => Value): Value | undefined => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const text = error.path === undefined ? error.message : error.message.replace(`${error.path}: `, "");
      const message = inInputNames(text);
      const input = name(error.path);
      if (!problems.some((known) => known.input === input && known.message === message))
        problems.push({ input, message });
      return undefined;
    }
  };

  const missing = choice("on-missing-credentials", ["fail", "skip"]);
  const explicit = {
    apiKey: text("api-key"),
    workspaceId: text("workspace-id"),
    region: text("region"),
    baseUrl: text("base-url"),
    dialect: text("dialect"),
  };
  const settings = readSettings();
  if (settings !== undefined) keepEach(settings.apiKey, keepSecret);

  const name = text("name");
  if (name === undefined) problems.push({ input: "name", message: "is required: the name of the deployment." });
  const ref = text("ref");
  if (ref !== undefined && /^[0-9a-f]{40}$/i.test(ref)) {
    problems.push({
      input: "ref",
      message: "is a commit: name a branch or refs/tags/<tag> here, and give the commit as sha.",
    });
  } else if (ref?.startsWith("refs/") && !/^refs\/(heads|tags)\/./.test(ref)) {
    problems.push({
      input: "ref",
      message: `is ${JSON.stringify(ref)}, which is neither a branch nor refs/tags/<tag>.`,
    });
  }
  const sha = text("sha");
  if (sha !== undefined && !/^([0-9a-f]{40}|[0-9a-f]{64})$/i.test(sha)) {
    problems.push({ input: "sha", message: "is not the full SHA of a commit (40 hexadecimal digits)." });
  }
  const pullRequest = pullRequestNumber();
  const previewName = withDefault("preview-name");
  if (!previewName.includes("{number}")) {
    problems.push({
      input: "preview-name",
      message: "has no {number} in it, so that all pull requests would share one preview.",
    });
  }

  const operation = choice("operation", operations);
  const expectNoChanges = flag("expect-no-changes") ?? false;
  if (expectNoChanges && operation !== "plan") {
    problems.push({
      input: "expect-no-changes",
      message: `belongs to the operation "plan", and this one is ${JSON.stringify(operation)}.`,
    });
  }
  const given = readDeclared({ text, flag, withDefault, env, event });
  problems.push(...given.problems);
  const declared = { ...given.declared, env: plain.entries, secrets: secrets.entries };
  const kept = [...namesIn(secrets), ...namesIn(plain), ...Object.keys(declared.secretReferences ?? {})];
  const both = removed.names.filter((removal) => kept.includes(removal));
  if (both.length > 0) {
    problems.push({
      input: "env-remove",
      message: `names ${both.join(", ")}, declared here too. Keep one of the two.`,
    });
  }
  const markers = removed.names.filter(isMarkerName);
  if (markers.length > 0) {
    problems.push({
      input: "env-remove",
      message: `names ${markers.join(", ")}, part of the ownership marker, which graphdeploy keeps itself.`,
    });
  }
  const githubToken = text("github-token");
  const inputs: Inputs = {
    settings,
    hasApiKey: hasKey(),
    operation,
    ref,
    sha: sha?.toLowerCase(),
    pullRequest,
    declared,
    // A run that is skipped for want of a key misses other secrets, too.
    declarationProblems:
      missing === "skip" && !hasKey()
        ? []
        : [
            ...given.checkoutProblems,
            ...valueProblems("secrets", secrets, allowed.names),
            ...valueProblems("env", plain, allowed.names),
            ...jobTokenProblems("secrets", secrets, githubToken),
            ...jobTokenProblems("env", plain, githubToken),
          ],
    envUpdate: choice("env-update", ["merge", "replace"]),
    envRemove: removed.names,
    adopt: flag("adopt") ?? false,
    expectNoChanges,
    previewName,
    wait: flag("wait") ?? true,
    timeoutMs:
      guarded(
        () => "timeout",
        () => parseTimeout(withDefault("timeout"), "timeout"),
      ) ?? 1,
    onSuperseded: choice("on-superseded", ["fail", "warn"]),
    onCancel: choice("on-cancel", ["continue", "interrupt"]),
    onFailure: choice("on-failure", ["none", "rollback"]),
    smokeTest: smoke.smokeTest,
    githubEnvironment: text("github-environment"),
    githubToken,
    comment: flag("comment") ?? true,
    summary: flag("summary") ?? true,
  };
  return { inputs, problems };

  /** Asked part by part, because one mistake would hide the others. */
  function readSettings(): Settings | undefined {
    const names = { explicit: "the input api-key" };
    const { apiKey, workspaceId, region, baseUrl, dialect } = explicit;
    const isMissing = missing === "skip" && !hasKey();
    const some = "none";
    const parts = [
      { apiKey: isMissing ? some : apiKey },
      { apiKey: some, workspaceId },
      { apiKey: some, region, baseUrl },
      { apiKey: some, dialect },
    ];
    const before = problems.length;
    for (const part of parts) guarded(inputOfSetting, () => resolveSettings({ explicit: part, env, names }));
    const isRight = problems.length === before;
    return isRight && !isMissing ? resolveSettings({ explicit, env, names }) : undefined;
  }

  function pullRequestNumber(): number | undefined {
    const given = text("pull-request");
    if (given === undefined || /^[1-9]\d{0,14}$/.test(given)) return given === undefined ? undefined : Number(given);
    problems.push({
      input: "pull-request",
      message: `is ${JSON.stringify(given)}, which is not the number of a pull request.`,
    });
    return undefined;
  }

  function hasKey(): boolean {
    try {
      resolveSettings({
        explicit: { apiKey: explicit.apiKey },
        env: { ...env, GRAPHDEPLOY_REGION: "us", GRAPHDEPLOY_BASE_URL: undefined },
      });
      return true;
    } catch (error) {
      // A key that can't be used is a mistake, not a missing one.
      return !(error instanceof ConfigError && error.message.startsWith("No API key"));
    }
  }
}

function inputOfSetting(path: string | undefined): string {
  return inputOf([path ?? ""])?.input ?? "api-key";
}

function namesIn({ entries = {}, missing }: EnvironmentInput): string[] {
  return [...Object.keys(entries), ...missing];
}

/** Values that aren't there. GitHub puts nothing in the place of a secret that it doesn't have, and that would replace the value that is live. */
function* valueProblems(
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
 * What is told beside other mistakes about a source that nobody knows here; `undefined` where it is known. A newer platform may take it, so it is
 * no mistake by itself.
 */
export function unknownSource({ source }: DesiredDeployment): string | undefined {
  if ((sources as readonly string[]).includes(source)) return undefined;
  return `source: is ${JSON.stringify(source)}, which is none of those that are known: ${sources.join(", ")}. It is passed on as it is.`;
}

/** The mistakes in what is to be deployed, in the names of the inputs. */
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

/** A value, and each line of one that has several, since a log shows them line by line. */
function keepEach(value: string, keepSecret: (value: string) => void): void {
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  for (const part of new Set([value, ...lines])) if (part !== "") keepSecret(part);
}
