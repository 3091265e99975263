import type { WorkflowEvent } from "../../../action/event.ts";

export const repository = "acme/agents";
export const mergeSha = "e".repeat(40);
export const headSha = "a".repeat(40);

export function someEvent(event: Partial<WorkflowEvent>): WorkflowEvent {
  return {
    name: "push",
    ref: "refs/heads/main",
    sha: mergeSha,
    repository,
    actor: "octocat",
    serverUrl: "https://github.com",
    apiUrl: "https://api.github.com",
    runUrl: "https://github.com/acme/agents/actions/runs/77",
    payload: {},
    ...event,
  };
}

/** The payload of a pull request's event; a null `head` means a deleted fork. */
export function pullRequest(
  action: string,
  options: { number?: number; head?: string | null; headRef?: string; base?: string } = {},
): Record<string, unknown> {
  const { number = 12, head = repository, headRef = "feature/search", base = "main" } = options;
  return {
    action,
    number,
    pull_request: {
      number,
      state: action === "closed" ? "closed" : "open",
      head: { ref: headRef, sha: headSha, repo: head === null ? null : { full_name: head } },
      base: { ref: base, repo: { full_name: repository } },
    },
  };
}
