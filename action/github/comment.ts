import type { Redactor } from "../../core/redact.ts";
import { publicReport, type Report } from "../report.ts";
import type { GitHub } from "./client.ts";
import { facts, headline, logTail, message, paragraphs, plan, steps } from "./report-markdown.ts";

/** The most characters of a comment, below GitHub's limit of 65,536 to leave room for the marker. */
const maxTextLength = 60_000;

/** Bytes that the tables of a comment may take. */
export const maxTableBytes = 20_000;

/** What a comment is about: a deployment of one control plane. */
export interface CommentSubject {
  name: string;
  /** The base URL of the control plane: two regions may have a deployment of one name. */
  baseUrl: string;
}

/** The invisible marker by which a later run finds the comment of a deployment. */
export function commentMarker({ name, baseUrl }: CommentSubject): string {
  return `<!-- graphdeploy:${encodeURIComponent(name)}@${encodeURIComponent(URL.parse(baseUrl)?.host ?? baseUrl)} -->`;
}

/** The marker of earlier versions, without the control plane. */
function olderMarker(name: string): string {
  return `<!-- graphdeploy:${encodeURIComponent(name)} -->`;
}

/** The text of a comment about one run, redacted by {@link publicReport} and truncated to fit. */
export function renderComment(report: Report, declaredSecrets: Redactor, allSecrets = declaredSecrets): string {
  const shown = publicReport(report, declaredSecrets, allSecrets);
  const text = paragraphs([
    `### ${headline(shown)}`,
    // Joining and escaping may produce a secret that the parts didn't contain.
    allSecrets.text(message(shown)),
    facts(shown),
    declaredSecrets.text(plan(shown, maxTableBytes)),
    steps(shown),
    allSecrets.text(logTail(shown, 10_000)),
  ]);
  return withinComment(text);
}

/** Cuts a text to the length of a comment. */
export function withinComment(text: string): string {
  if (text.length <= maxTextLength) return text;
  return `${text.slice(0, maxTextLength - 50).toWellFormed()}\n\n… cut: the rest is in the log.`;
}

/** A comment to write. */
export interface CommentText {
  subject: CommentSubject;
  text: string;
  /** Whether to create the comment if there is none; otherwise only an existing one is updated. */
  mayBeFirst: boolean;
}

/** Updates a deployment's comment on a pull request, or creates it. */
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

/**
 * The id of the comment. Anybody can copy a marker, so its author must be the token's. A comment with the older marker
 * counts if it is the only one.
 */
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

/** The author of comments by a workflow's own token. */
const workflowLogin = "github-actions[bot]";

/** The token's login. An app's token, such as a workflow's own, may query it only by GraphQL. */
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

/** Whether the server responded with a GraphQL error. */
function isGraphqlError(error: unknown): boolean {
  return error instanceof Error && error.name === "GraphqlResponseError";
}

function isRefusal(error: unknown): boolean {
  const { status } = error as { status?: unknown };
  return status === 401 || status === 403 || status === 404;
}
