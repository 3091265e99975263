import { Redactor } from "../core/redact.ts";
import { Console } from "./console.ts";
import { readEvent } from "./event.ts";
import { connectToGitHub } from "./github/client.ts";
import { renderComment, upsertComment } from "./github/comment.ts";
import { stateOfResult, updateGitHubDeployment } from "./github/deployments.ts";
import type { Result } from "./operations.ts";
import type { Runner } from "./runner.ts";
import { readState } from "./state.ts";

/**
 * The post step, for a main step that was killed before it had reported everything: reports what continues, closes the
 * GitHub deployment and updates the comment.
 */
export async function post(env: Readonly<Record<string, string | undefined>>, runner: Runner): Promise<void> {
  if (readState(runner, "phase") !== "running") return;
  const token = runner.getInput("github-token");
  const redactor = new Redactor([token, runner.getInput("api-key")]);
  const console = new Console(redactor, runner);
  const event = readEvent(env);
  const { runUrl } = event;
  const deploymentId = readState(runner, "deployment-id");
  const revisionId = readState(runner, "revision-id");
  const webUrl = readState(runner, "web-url");
  // Empty if the main step was killed before it had a result.
  const known = readState(runner, "result") as Result | "";
  const result = known === "" ? "cancelled" : known;
  const inProgress = readState(runner, "in-progress");
  const what = revisionId === "" ? "What was requested of the platform" : `Revision ${revisionId}`;
  const more = inProgress === "" ? "" : ` In progress: ${inProgress}.`;
  const page = webUrl === "" ? "" : ` Its page: ${webUrl}`;
  const message = known === "" ? `The step was killed. ${what} continues on the platform.${more}${page}` : undefined;
  if (message !== undefined) console.warning(message);

  const github = connectToGitHub(token || undefined, event, console);
  if (github === undefined) return;
  const githubDeployments = readState(runner, "github-deployment").split(",").map(Number);
  const url = readState(runner, "url");
  for (const id of githubDeployments.filter((number) => number > 0)) {
    const deployment = { id, environment: "" };
    await updateGitHubDeployment(github, deployment, stateOfResult[result], {
      url: result === "deployed" && url !== "" ? url : undefined,
      runUrl,
      ...(message === undefined ? {} : { description: message }),
    });
  }
  const comment = readState(runner, "comment");
  if (comment === "") return;
  const { pullRequest, name, title = name, baseUrl } = JSON.parse(comment) as SavedComment;
  const report = {
    result,
    task: "post",
    name: title,
    isPreview: true,
    ...(message === undefined ? {} : { message }),
    ...(deploymentId === "" ? {} : { deploymentId }),
    ...(revisionId === "" ? {} : { revisionId }),
    ...(url === "" ? {} : { url }),
    ...(webUrl === "" ? {} : { webUrl }),
    steps: [],
    logTail: [],
    runUrl,
  };
  await upsertComment(github, pullRequest, {
    subject: { name, baseUrl },
    text: renderComment(report, redactor),
    mayBeFirst: deploymentId !== "",
  });
}

/** The state `comment`. */
interface SavedComment {
  pullRequest: number;
  name: string;
  /** What the comment is headed by. @default the name */
  title?: string;
  baseUrl: string;
}
