import * as core from "@actions/core";
import { Redactor } from "../core/redact.ts";
import { Console } from "./console.ts";
import { readEvent } from "./event.ts";
import { connectToGitHub } from "./github/client.ts";
import { updateGitHubDeployment } from "./github/deployments.ts";
import { readState } from "./state.ts";

/** The safety net of a main step that was killed before it could say anything: tells what goes on, and frees what GitHub shows as under way. */
export async function post(env: Readonly<Record<string, string | undefined>>): Promise<void> {
  if (readState("phase") !== "running") return;
  const token = core.getInput("github-token");
  const console = new Console(new Redactor([token, core.getInput("api-key")]));
  const event = readEvent(env);
  const revision = readState("revision-id");
  const page = readState("web-url");
  const what = revision === "" ? "What had been asked of the platform" : `Revision ${revision}`;
  console.warning(
    `The step was ended from outside. ${what} goes on on the platform.${page === "" ? "" : ` Its page: ${page}`}`,
  );
  const deployment = Number(readState("github-deployment"));
  const github = connectToGitHub(token || undefined, event.repository, console);
  if (github === undefined || !(deployment > 0)) return;
  await updateGitHubDeployment(github, { id: deployment, environment: "" }, "inactive", { runUrl: event.runUrl });
}
