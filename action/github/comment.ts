import type { Redactor } from "../../core/redact.ts";
import { publicReport, type Report } from "../report.ts";
import type { GitHub } from "./client.ts";
import { facts, headline, logTail, message, paragraphs, plan, steps } from "./report-markdown.ts";

/** GitHub refuses a comment over 65,536 characters, those of its marker among them. */
const maxTextLength = 60_000;

/** What a comment is about: a deployment of one control plane. */
export interface CommentSubject {
  name: string;
  /** The base URL of the control plane: two regions may have a deployment of one name. */
  baseUrl: string;
}

/** Finds the comment again: one for each deployment. It isn't shown. */
export function commentMarker({ name, baseUrl }: CommentSubject): string {
  return `<!-- graphdeploy:${encodeURIComponent(name)}@${encodeURIComponent(URL.parse(baseUrl)?.host ?? baseUrl)} -->`;
}

/** The marker of comments from before it told the control plane. */
function olderMarker(name: string): string {
  return `<!-- graphdeploy:${encodeURIComponent(name)} -->`;
}

/** The text of a comment about one run, redacted as {@link publicReport} says and cut to fit. */
export function renderComment(report: Report, declaredSecrets: Redactor, allSecrets = declaredSecrets): string {
  const shown = publicReport(report, declaredSecrets, allSecrets);
  const text = paragraphs([
    `### ${headline(shown)}`,
    // Joined and escaped, a text may contain a secret that it didn't before.
    allSecrets.text(message(shown)),
    facts(shown),
    declaredSecrets.text(plan(shown, 20_000)),
    steps(shown),
    allSecrets.text(logTail(shown, 10_000)),
  ]);
  if (text.length <= maxTextLength) return text;
  return `${text.slice(0, maxTextLength - 50).toWellFormed()}\n\n… cut: the rest is in the log.`;
}

/** A comment that is to be written. */
export interface CommentText {
  subject: CommentSubject;
  text: string;
  /** False where only a comment that is there already is to be changed. */
  mayBeFirst: boolean;
}

/** Writes the comment of a deployment under a pull request: changes the one that is there, or adds the first. */
export async function upsertComment(
  github: GitHub,
  pullRequest: number,
  { subject, text, mayBeFirst }: CommentText,
): Promise<void> {
  await github.attempt(`The comment on pull request #${pullRequest}`, "pull-requests: write", async () => {
    const { octokit, repository } = github;
    const own = await findOwn(github, pullRequest, subject);
    const body = `${commentMarker(subject)}\n${text}`;
    if (own !== undefined) await octokit.rest.issues.updateComment({ ...repository, comment_id: own, body });
    else if (mayBeFirst) await octokit.rest.issues.createComment({ ...repository, issue_number: pullRequest, body });
  });
}

/** Anybody can copy a marker, so the author counts too. One with the older marker is taken where there is no other that it could be. */
async function findOwn(
  { octokit, repository }: GitHub,
  pullRequest: number,
  subject: CommentSubject,
): Promise<number | undefined> {
  const login = await ownLogin(octokit);
  const marker = commentMarker(subject);
  const older: number[] = [];
  const pages = octokit.paginate.iterator(octokit.rest.issues.listComments, {
    ...repository,
    issue_number: pullRequest,
    per_page: 100,
  });
  for await (const { data } of pages) {
    for (const { id, body, user } of data) {
      if (user?.login !== login) continue;
      if (body?.startsWith(marker) === true) return id;
      if (body?.startsWith(olderMarker(subject.name)) === true) older.push(id);
    }
  }
  return older.length === 1 ? older[0] : undefined;
}

/** Who a workflow's own token speaks for. */
const workflowLogin = "github-actions[bot]";

/** Who the token speaks for. That of an app, as a workflow's own is, may not ask the REST API, only who its viewer is. */
async function ownLogin(octokit: GitHub["octokit"]): Promise<string> {
  try {
    return (await octokit.rest.users.getAuthenticated()).data.login;
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  try {
    const { viewer } = await octokit.graphql<{ viewer: { login: string } }>("{ viewer { login } }");
    return viewer.login.endsWith("[bot]") ? viewer.login : `${viewer.login}[bot]`;
  } catch (error) {
    if (isRefusal(error) || isGraphqlError(error)) return workflowLogin;
    throw error;
  }
}

/** Whether the server answered in the way of its query language, though with an error. */
function isGraphqlError(error: unknown): boolean {
  return error instanceof Error && error.name === "GraphqlResponseError";
}

function isRefusal(error: unknown): boolean {
  const { status } = error as { status?: unknown };
  return status === 401 || status === 403 || status === 404;
}
