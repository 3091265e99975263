import { resolveSettings, type Settings } from "../core/settings.ts";
import { parseTimeout } from "../core/time.ts";
import { readNames } from "./environment-input.ts";
import type { WorkflowEvent } from "./event.ts";
import type { InputName } from "./input-defaults.ts";
import { inputOf } from "./input-names.ts";
import type { InputReader } from "./input-reader.ts";
import { type Operation, operations } from "./operations.ts";
import { readSmokeTest, type SmokeTest } from "./smoke-test-input.ts";

/** The inputs of every run, whether inputs or a declarative file declare what is deployed. */
export interface CommonInputs {
  /** `undefined` without an API key, with `on-missing-credentials: skip`. */
  settings: Settings | undefined;
  /** Whether there is an API key, valid or not. */
  hasApiKey: boolean;
  /** Whether a run without an API key is skipped. */
  skipsMissing: boolean;
  operation: Operation;
  /** The pull request, for events that have none. */
  pullRequest: number | undefined;
  /** Names of variables whose values may be empty. */
  allowedEmpty: readonly string[];
  /** Whether to take over a deployment that isn't this repository's. */
  adopt: boolean;
  /** Whether a plan with changes fails. */
  expectNoChanges: boolean;
  timeoutMs: number;
  onCancel: "continue" | "interrupt";
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

/** Reads the common inputs, the secret ones first, so that nothing is printed before they are masked. */
export function readCommonInputs(reader: InputReader, { env, keepSecret }: InputSources): CommonInputs {
  const { text, rawText, flag, withDefault } = reader;
  for (const name of ["api-key", "github-token"] as const) keepEach(text(name) ?? "", keepSecret);
  const skipsMissing = reader.choice("on-missing-credentials", ["fail", "skip"]) === "skip";
  const { settings, hasApiKey } = readSettings(reader, env, skipsMissing);
  if (settings !== undefined) keepEach(settings.apiKey, keepSecret);
  const allowed = readNames("allow-empty", rawText("allow-empty"));
  const smoke = readSmokeTest(rawText("smoke-test"));
  for (const read of [allowed, smoke]) reader.problems.push(...read.problems);
  const operation = reader.choice("operation", operations);
  const expectNoChanges = flag("expect-no-changes") ?? false;
  if (expectNoChanges && operation !== "plan") {
    const message = `belongs to the operation "plan", and this one is ${JSON.stringify(operation)}.`;
    reader.report("expect-no-changes", message);
  }
  return {
    settings,
    hasApiKey,
    skipsMissing,
    operation,
    pullRequest: readPullRequest(reader),
    allowedEmpty: allowed.names,
    adopt: flag("adopt") ?? false,
    expectNoChanges,
    timeoutMs: reader.guarded("timeout", () => parseTimeout(withDefault("timeout"), "timeout")) ?? 1,
    onCancel: reader.choice("on-cancel", ["continue", "interrupt"]),
    smokeTest: smoke.smokeTest,
    githubEnvironment: text("github-environment"),
    githubToken: text("github-token"),
    comment: flag("comment") ?? true,
    summary: flag("summary") ?? true,
  };
}

/** Resolves the settings; a missing key isn't a problem if the run is then skipped. */
function readSettings(
  reader: InputReader,
  env: InputSources["env"],
  skipsMissing: boolean,
): Pick<CommonInputs, "settings" | "hasApiKey"> {
  const explicit = {
    apiKey: reader.text("api-key"),
    workspaceId: reader.text("workspace-id"),
    region: reader.text("region"),
    baseUrl: reader.text("base-url"),
    dialect: reader.text("dialect"),
  };
  const input = "the input api-key";
  const resolved = resolveSettings({ explicit, env, names: { explicit: input, advised: input } });
  const { settings, problems, hasApiKey } = resolved;
  for (const problem of problems) {
    if (problem.path === "apiKey" && !hasApiKey && skipsMissing) continue;
    reader.reportError(inputOf([problem.path ?? ""])?.input ?? "api-key", problem);
  }
  return { settings, hasApiKey };
}

function readPullRequest(reader: InputReader): number | undefined {
  const given = reader.text("pull-request");
  if (given === undefined) return undefined;
  if (/^[1-9]\d{0,14}$/.test(given)) return Number(given);
  reader.report("pull-request", `is ${JSON.stringify(given)}, which is not the number of a pull request.`);
  return undefined;
}

/** Masks a value and each of its lines, since a log prints them line by line. */
export function keepEach(value: string, keepSecret: (value: string) => void): void {
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  for (const part of new Set([value, ...lines])) if (part !== "") keepSecret(part);
}
