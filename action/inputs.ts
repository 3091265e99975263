import { graphConfigFileNames } from "../core/client/wire/conventions.ts";
import { isMarkerName } from "../core/client/wire/deployments.ts";
import type { DesiredDeployment } from "../core/declare/deployment.ts";
import type { Problem } from "../core/declare/validation.ts";
import { validateDesired } from "../core/declare/validation.ts";
import { type CommonInputs, type InputSources, keepEach, readCommonInputs } from "./common-inputs.ts";
import { readDeclared } from "./declared-input.ts";
import { type EnvironmentInput, possibleValues, readEnvironment, readNames } from "./environment-input.ts";
import type { InputName } from "./input-defaults.ts";
import { inInputNames, inputOf } from "./input-names.ts";
import type { InputProblem } from "./input-problem.ts";
import { InputReader } from "./input-reader.ts";
import { jobTokenProblems } from "./job-token.ts";

/** The inputs that declare one deployment, and how it is deployed; validated once. */
export interface Inputs extends CommonInputs {
  ref: string | undefined;
  sha: string | undefined;
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
  previewName: string;
  wait: boolean;
  onSuperseded: "fail" | "warn";
  onFailure: "none" | "rollback";
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
  const common = readCommonInputs(reader, sources);
  const { githubToken, allowedEmpty } = common;
  const values = readValues(reader, env, keepSecret);
  const target = readTarget(reader);
  for (const name of ["environment", "only"] as const) {
    if (text(name) !== undefined) reader.report(name, "is about a declarative file: name the file as config.");
  }
  const given = readDeclared({ text, flag, withDefault, env, event });
  reader.problems.push(...given.problems);
  const declared = { ...given.declared, env: values.env.entries, secrets: values.secrets.entries };
  checkRemovals(reader, values, Object.keys(declared.secretReferences ?? {}));
  const valueProblems = [
    ...missingValueProblems("secrets", values.secrets, allowedEmpty),
    ...missingValueProblems("env", values.env, allowedEmpty),
    ...jobTokenProblems("secrets", values.secrets, githubToken),
    ...jobTokenProblems("env", values.env, githubToken),
  ];
  const inputs: Inputs = {
    ...common,
    ...target,
    declared,
    // A run that is skipped without a key lacks other secrets, too.
    declarationProblems: common.skipsMissing && !common.hasApiKey ? [] : [...given.checkoutProblems, ...valueProblems],
    envUpdate: reader.choice("env-update", ["merge", "replace"]),
    envRemove: values.removed,
    wait: flag("wait") ?? true,
    onSuperseded: reader.choice("on-superseded", ["fail", "warn"]),
    onFailure: reader.choice("on-failure", ["none", "rollback"]),
  };
  return { inputs, problems: reader.problems };
}

/** The multi-line inputs. */
interface Values {
  env: EnvironmentInput;
  secrets: EnvironmentInput;
  /** Names to remove from the environment. */
  removed: readonly string[];
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
  for (const read of [secrets, plain, removed]) reader.problems.push(...read.problems);
  return { env: plain, secrets, removed: removed.names };
}

/** Reads the name, and the ref to deploy. */
function readTarget(reader: InputReader): Pick<Inputs, "ref" | "sha" | "previewName"> {
  const { text, withDefault } = reader;
  if (text("name") === undefined) {
    reader.report("name", "is required: the name of the deployment. Or name a declarative file as config.");
  }
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
  const previewName = withDefault("preview-name");
  if (!previewName.includes("{number}")) {
    reader.report("preview-name", "has no {number} in it, so that all pull requests would share one preview.");
  }
  return { ref, sha: sha?.toLowerCase(), previewName };
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
 * The problems of a declaration, with the names of inputs, and warnings about what the platform may accept, but is
 * probably a mistake.
 */
export function findingsOf(desired: DesiredDeployment): { problems: InputProblem[]; warnings: InputProblem[] } {
  const { problems, warnings } = validateDesired(desired);
  return {
    problems: problems.filter(({ path }) => path[0] !== "name" || desired.name !== "").map(toInputProblem),
    // The input allow-empty has settled which secrets may be empty.
    warnings: warnings.filter(({ path }) => path[0] !== "secrets").map(toInputProblem),
  };
}

function toInputProblem({ path, message }: Problem): InputProblem {
  const { input, below } = inputOf(path) ?? { input: "source", below: "" };
  const hint =
    input === "graph-config-path" && message.startsWith("is required")
      ? ` Neither ${graphConfigFileNames.join(" nor ")} was found in the working directory: check out the repository before this step, or name the file.`
      : "";
  return { input, message: `${below} ${inInputNames(message)}${hint}`.trim() };
}
