import type { DeclarativeFile } from "../../core/declare/file/declarative-file.ts";
import { type InputSources, keepEach } from "../common-inputs.ts";
import { addRefusal, decide } from "../decision.ts";
import type { InputProblem } from "../input-problem.ts";
import { InputError } from "../inputs.ts";
import { missingSecretsReason } from "../missing-secrets.ts";
import type { Target } from "../target.ts";
import type { Tools } from "../tools.ts";
import { type FileInputs, readFileInputs } from "./inputs.ts";
import { type FileLocation, locateFile, readLocated } from "./location.ts";
import { reportProblems, reportWarnings } from "./problems.ts";
import type { FileReport } from "./report.ts";
import { jobTokenProblem, secretsOf } from "./secrets.ts";
import { fileSubject, previewSubject, previewTitle } from "./subject.ts";
import { type FileTask, fileTargetOf } from "./target.ts";

/**
 * The main step where a file declares the deployments, from the inputs to the last report to GitHub.
 * @returns the exit status
 * @throws {@link InputError} with all problems of the inputs
 */
export async function runFile(sources: InputSources, tools: Tools): Promise<number> {
  const { event, env } = sources;
  const { console, signal } = tools;
  const { inputs, problems } = readFileInputs(sources);
  const { target, problem } = await decide(
    event,
    inputs,
    (found) => fileTargetOf(event, inputs, found),
    console,
    signal,
  );
  if (problem !== undefined) problems.push(problem);
  if (target.kind === "skip") return skip(tools, target.reason);
  const withoutSecrets = inputs.hasApiKey ? undefined : missingSecretsReason(event, target);
  if (withoutSecrets !== undefined) return skip(tools, withoutSecrets);
  if (target.kind === "refuse") addRefusal(problems, target);
  if (target.kind === "sweep" && inputs.githubToken === undefined) {
    problems.push({ input: "github-token", message: "is needed to see which pull requests are closed." });
  }
  // A run without a key lacks other secrets, too.
  const isSkipped = !inputs.hasApiKey && inputs.skipsMissing;
  const workspace = env.GITHUB_WORKSPACE || ".";
  const location = locateFile(inputs.config, workspace);
  const file = isSkipped ? noFile : readFile(location, inputs, target, sources, workspace, problems);
  reportWarnings(file.warnings, console);
  const report = newReport(location, inputs, target, event.runUrl);
  if (file.problems.length > 0) {
    const pullRequest = "pullRequest" in target ? target.pullRequest : undefined;
    await reportProblems({ ...report, problems: file.problems }, pullRequest, inputs, event, tools);
  }
  if (problems.length > 0) throw new InputError(problems);
  if (isSkipped) return skip(tools, "There is no API key here (on-missing-credentials: skip).");
  if (file.problems.length > 0 || "input" in location || !isTask(target)) {
    tools.outputs.set("result", "failed");
    return 1;
  }
  const pullRequest = target.kind === "preview" ? target.pullRequest : undefined;
  const identity = {
    repository: event.repository,
    path: location.path,
    environment: inputs.environment,
    pullRequest,
  };
  // Loaded late, so that invalid inputs are reported quickly.
  const { executeFile } = await import(/* webpackMode: "eager" */ "./execute.ts");
  return executeFile({ event, inputs, task: target, file, identity, report }, tools);
}

const noFile: DeclarativeFile = { deployments: [], previews: undefined, secrets: [], problems: [], warnings: [] };

function isTask(target: Target): target is FileTask {
  return !["skip", "refuse", "look-up", "redeploy"].includes(target.kind);
}

/** Reads the file, masks what it got, and adds the problems that aren't in the file itself. */
function readFile(
  location: FileLocation | InputProblem,
  inputs: FileInputs,
  target: Target,
  { env, keepSecret }: InputSources,
  workspace: string,
  problems: InputProblem[],
): DeclarativeFile {
  if ("input" in location) {
    problems.push(location);
    return noFile;
  }
  // Whose previews they are stands in their markers, and the file may be gone.
  if (target.kind === "delete-preview" || target.kind === "sweep") return noFile;
  const pullRequest = target.kind === "preview" ? target.pullRequest : undefined;
  const read = readLocated(location, { ...inputs, env, workspace, pullRequest });
  if ("input" in read) {
    problems.push(read);
    return noFile;
  }
  const secrets = secretsOf(read, env);
  for (const value of secrets) keepEach(value, keepSecret);
  const jobToken = jobTokenProblem(read, inputs.githubToken);
  if (jobToken !== undefined) problems.push(jobToken);
  if (target.kind === "preview" && read.problems.length === 0 && read.previews === undefined) {
    const message = `"preview" needs the part previews in ${location.path}, which says what a pull request gets.`;
    problems.push({ input: "operation", message });
  }
  // A deletion needs no values: what it may delete stands in the markers. Only the selection needs the keys.
  if (target.kind === "delete" && inputs.only === undefined && read.problems.length > 0) return { ...noFile, secrets };
  return { ...read, secrets };
}

function newReport(
  location: FileLocation | InputProblem,
  { config, environment }: FileInputs,
  target: Target,
  runUrl: string,
): FileReport {
  const path = "path" in location ? location.path : config;
  const isPreview = target.kind === "preview" || target.kind === "delete-preview" || target.kind === "sweep";
  const part = isPreview ? "previews" : environment;
  const whole = part === undefined ? path : `${path} (${part})`;
  return {
    title: isPreview && "pullRequest" in target && target.pullRequest ? previewTitle(path, target.pullRequest) : whole,
    subject: isPreview ? previewSubject(path) : fileSubject(path, environment),
    isPreview,
    deployments: new Map(),
    notes: [],
    problems: [],
    runUrl,
  };
}

function skip({ console, outputs }: Tools, reason: string): number {
  console.notice(reason);
  outputs.set("result", "skipped");
  return 0;
}
