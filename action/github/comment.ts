import type { Redactor } from "../../core/redact.ts";
import { type Report, redactReport } from "../report.ts";
import type { GitHub } from "./client.ts";
import { facts, headline, logTail, message, paragraphs, plan, steps } from "./report-markdown.ts";

/** GitHub refuses a comment over 65,536 characters. */
const largestComment = 60_000;

/** Finds the comment again: one for each deployment. It isn't shown. */
export function commentMarker(name: string): string {
  return `<!-- graphdeploy:${encodeURIComponent(name)} -->`;
}

/** The comment of one run, redacted and cut to fit. */
export function renderComment(report: Report, redactor: Redactor): string {
  const marker = commentMarker(report.name);
  const shown = redactReport(report, redactor);
  const text = redactor.text(
    paragraphs([
      `### ${headline(shown)}`,
      message(shown),
      facts(shown),
      plan(shown, 20_000),
      steps(shown),
      logTail(shown, 10_000),
    ]),
  );
  const room = largestComment - marker.length;
  return `${marker}\n${text.length <= room ? text : `${text.slice(0, room - 50).toWellFormed()}\n\n… cut: the rest is in the log.`}`;
}

/** A comment that is to be written. */
export interface CommentText {
  marker: string;
  body: string;
  /** False where only a comment that is there already is to be changed. */
  mayBeFirst: boolean;
}

/** Writes the comment of a deployment under a pull request: changes the one that is there, or adds the first. */
export async function upsertComment(
  github: GitHub,
  pullRequest: number,
  { marker, body, mayBeFirst }: CommentText,
): Promise<void> {
  await github.attempt(`The comment on pull request #${pullRequest}`, "pull-requests: write", async () => {
    const { octokit, repository } = github;
    const own = await findOwn(github, pullRequest, marker);
    if (own !== undefined) await octokit.rest.issues.updateComment({ ...repository, comment_id: own, body });
    else if (mayBeFirst) await octokit.rest.issues.createComment({ ...repository, issue_number: pullRequest, body });
  });
}

/** Anybody can copy a marker, so the author counts too. */
async function findOwn(
  { octokit, repository }: GitHub,
  pullRequest: number,
  marker: string,
): Promise<number | undefined> {
  const login = await ownLogin(octokit);
  const pages = octokit.paginate.iterator(octokit.rest.issues.listComments, {
    ...repository,
    issue_number: pullRequest,
    per_page: 100,
  });
  for await (const { data } of pages) {
    for (const { id, body, user } of data) {
      const isOwn = login === undefined ? user?.type === "Bot" : user?.login === login;
      if (isOwn && body?.startsWith(marker) === true) return id;
    }
  }
  return undefined;
}

/** Who the token speaks for. That of a workflow, or of another app, may not ask; its comments are a bot's. */
async function ownLogin(octokit: GitHub["octokit"]): Promise<string | undefined> {
  try {
    return (await octokit.rest.users.getAuthenticated()).data.login;
  } catch {
    return undefined;
  }
}
