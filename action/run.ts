import { Redactor, unprotectedReason } from "../core/redact.ts";
import { Console } from "./console.ts";
import { addRefusal, decide } from "./decision.ts";
import { declare } from "./declaration.ts";
import { readEvent, type WorkflowEvent } from "./event.ts";
import { targetOf } from "./event-target.ts";
import type { InputName } from "./input-defaults.ts";
import { findingsOf, InputError, type Inputs, readInputs } from "./inputs.ts";
import { missingSecretsReason } from "./missing-secrets.ts";
import { Outputs } from "./outputs.ts";
import { previewNameOf } from "./preview-name.ts";
import type { Report } from "./report.ts";
import type { Runner } from "./runner.ts";
import type { Target } from "./target.ts";

/**
 * The main step, from the inputs to the last report to GitHub. Never throws.
 * @param signal aborts when the run is cancelled
 */
export async function run(
  env: Readonly<Record<string, string | undefined>>,
  runner: Runner,
  signal: AbortSignal,
): Promise<number> {
  const redactor = new Redactor();
  const declaredSecrets = new Redactor();
  const console = new Console(redactor, runner);
  const outputs = new Outputs(declaredSecrets, runner);
  try {
    const event = readEvent(env);
    const keepSecret = keepSecretIn(runner, redactor, declaredSecrets);
    const sources = { get: (name: InputName) => readInput(runner, name), env, event, keepSecret };
    const tools = { runner, redactor, declaredSecrets, console, outputs, signal };
    if (sources.get("config").trim() !== "") {
      // Loaded only for a file, with the reader of YAML.
      const { runFile } = await import(/* webpackMode: "eager" */ "./file/run.ts");
      return await runFile(sources, tools);
    }
    const { inputs, problems } = readInputs(sources);
    const { operation, ref, sha, pullRequest } = inputs;
    const needsRef = inputs.declared.source === "github";
    const choice = { operation, ref, sha, pullRequest, needsRef };
    const { target, problem } = await decide(event, inputs, (found) => targetOf(event, choice, found), console, signal);
    if (problem !== undefined) problems.push(problem);
    const report = newReport(inputs, event, target);
    if (target.kind === "skip") return skip(console, outputs, report, target.reason);
    const withoutSecrets = inputs.hasApiKey ? undefined : missingSecretsReason(event, target);
    if (withoutSecrets !== undefined) return skip(console, outputs, report, withoutSecrets);
    if (target.kind === "refuse") addRefusal(problems, target);
    if (target.kind === "refuse" || "source" in target) {
      const source = "source" in target ? target.source : { ref: inputs.ref };
      const found = findingsOf(declare(inputs.declared, report.name, source));
      problems.push(...inputs.declarationProblems, ...found.problems);
      for (const { input, message } of found.warnings) console.warning(`${input}: ${message}`);
    }
    if (target.kind === "preview" && report.name === inputs.declared.name) {
      const message = `makes ${report.name} of pull request #${target.pullRequest}, which is the name of the deployment itself.`;
      problems.push({ input: "preview-name", message });
    }
    if (target.kind === "sweep" && inputs.githubToken === undefined) {
      problems.push({ input: "github-token", message: "is needed to see which pull requests are closed." });
    }
    if (problems.length > 0) throw new InputError(problems);
    if (target.kind === "refuse") return 1;
    // Only a run without settings still has the target `look-up`.
    if (inputs.settings === undefined || target.kind === "look-up")
      return skip(console, outputs, report, "There is no API key here (on-missing-credentials: skip).");
    // Loaded late, so that invalid inputs are reported quickly.
    const { execute } = await import(/* webpackMode: "eager" */ "./execute.ts");
    return await execute(event, inputs, target, { ...tools, report });
  } catch (error) {
    runner.setOutput("result", "failed");
    const lines =
      error instanceof InputError
        ? error.problems.map(({ input, message }) => `${input}: ${message}`)
        : [error instanceof Error ? error.message : String(error)];
    for (const line of lines)
      console.error(line, error instanceof InputError ? "graphdeploy: wrong input" : "graphdeploy: failed");
    return 1;
  }
}

function skip(console: Console, outputs: Outputs, report: Report, reason: string): number {
  console.notice(reason);
  report.result = "skipped";
  outputs.update(report);
  return 0;
}

function newReport({ declared, previewName }: Inputs, { runUrl }: WorkflowEvent, target: Target): Report {
  const isPreview = "pullRequest" in target && target.kind !== "plan";
  const name = isPreview ? previewNameOf(previewName, declared.name, target.pullRequest) : declared.name;
  const report: Report = { task: `${target.kind} ${name}`, name, isPreview, steps: [], logTail: [], runUrl };
  if (!("source" in target)) return report;
  const { ref, commit } = target.source;
  if (ref !== undefined) report.ref = ref;
  if (commit !== undefined) report.expectedCommit = commit;
  return report;
}

/** The text of an input, untrimmed. */
export function readInput(runner: Runner, name: InputName): string {
  return runner.getInput(name, { trimWhitespace: false });
}

function keepSecretIn(runner: Runner, ...redactors: readonly Redactor[]): (value: string) => void {
  const kept = new Set<string>();
  return (value) => {
    if (kept.has(value)) return;
    kept.add(value);
    for (const redactor of redactors) redactor.add([value]);
    // The runner would mask every "true" in the log, and drop job outputs that contain a masked value.
    if (unprotectedReason(value) === undefined) runner.setSecret(value);
  };
}
