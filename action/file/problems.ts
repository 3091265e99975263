import type { FileProblem } from "../../core/declare/file/declarative-file.ts";
import type { WorkflowEvent } from "../event.ts";
import type { Tools } from "../tools.ts";
import type { FileInputs } from "./inputs.ts";
import type { FileReport } from "./report.ts";

/** Annotates each problem of a file at its line, and reports them together in the summary and the comment. */
export async function reportProblems(
  report: FileReport,
  pullRequest: number | undefined,
  inputs: FileInputs,
  event: WorkflowEvent,
  { console, runner, declaredSecrets, signal }: Tools,
): Promise<void> {
  for (const problem of report.problems) annotate(problem, "error", console);
  const { length } = report.problems;
  const message = `${report.title} has ${length === 1 ? "a problem" : `${length} problems`}, so nothing was sent.`;
  console.error(message, "graphdeploy: wrong file");
  const { renderFileReport } = await import(/* webpackMode: "eager" */ "./report-markdown.ts");
  const shown = { ...report, result: "failed" as const, message };
  if (inputs.summary) {
    const { maxTableBytes, withinSummary } = await import(/* webpackMode: "eager" */ "../github/summary.ts");
    await runner.summary.addRaw(withinSummary(renderFileReport(shown, maxTableBytes, declaredSecrets))).write();
  }
  if (!inputs.comment || pullRequest === undefined || inputs.settings === undefined) return;
  const { connectToGitHub } = await import(/* webpackMode: "eager" */ "../github/client.ts");
  const { maxTableBytes, upsertComment, withinComment } = await import(
    /* webpackMode: "eager" */ "../github/comment.ts"
  );
  const github = connectToGitHub(inputs.githubToken, event, console, signal);
  if (github === undefined) return;
  await upsertComment(github, pullRequest, {
    subject: { name: report.subject, baseUrl: inputs.settings.baseUrl },
    text: withinComment(renderFileReport(shown, maxTableBytes, declaredSecrets)),
    mayBeFirst: true,
  });
}

/** Annotates what is doubtful in a file, and applied as it is. */
export function reportWarnings(warnings: readonly FileProblem[], console: Tools["console"]): void {
  for (const warning of warnings) annotate(warning, "warning", console);
}

function annotate(
  { file, line, column, path, message }: FileProblem,
  kind: "error" | "warning",
  console: Tools["console"],
): void {
  const place = { file, startLine: line, startColumn: column };
  // The position again, since the log shows none of an annotation.
  const where = `${file}:${line}:${column}`;
  const title = kind === "error" ? "graphdeploy: wrong file" : "graphdeploy";
  console[kind](`${where}: ${path === "" ? "" : `${path}: `}${message}`, title, place);
}
