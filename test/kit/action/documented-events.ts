/** What GitHub documents about one event under "Events that trigger workflows". */
export interface DocumentedEvent {
  /** Activity types, `payload.action`; empty where the event has none. */
  types: readonly string[];
  /** `GITHUB_REF`. */
  ref: string;
  /** `GITHUB_SHA`. */
  sha: string;
  /** Where the payload has the number of a pull request. */
  pullRequest?: "pull_request.number" | "issue.number, where the issue has pull_request";
  /** Runs for forks and runs that Dependabot started get none of the Actions secrets. */
  withoutSecrets?: readonly ("fork" | "Dependabot")[];
}

const defaultBranch = { ref: "default branch", sha: "last commit on the default branch" };
const pullRequestTypes = [
  ...["assigned", "unassigned", "labeled", "unlabeled", "opened", "edited", "closed", "reopened", "synchronize"],
  ...["converted_to_draft", "locked", "unlocked", "enqueued", "dequeued", "milestoned", "demilestoned"],
  ...["ready_for_review", "review_requested", "review_request_removed", "auto_merge_enabled", "auto_merge_disabled"],
];
const mergeOfPullRequest = {
  ref: "refs/pull/<number>/merge; the base branch once it was merged",
  sha: "last test merge",
  pullRequest: "pull_request.number",
  withoutSecrets: ["fork", "Dependabot"],
} as const;

/**
 * Every event of GitHub's page "Events that trigger workflows", with every activity type. The secrets of Dependabot's
 * runs are those of "Troubleshooting Dependabot on GitHub Actions".
 */
export const documentedEvents: Readonly<Record<string, DocumentedEvent>> = {
  branch_protection_rule: { types: ["created", "edited", "deleted"], ...defaultBranch },
  check_run: { types: ["created", "rerequested", "completed", "requested_action"], ...defaultBranch },
  check_suite: { types: ["completed"], ...defaultBranch },
  create: {
    types: [],
    ref: "branch or tag that was created",
    sha: "last commit on it",
    withoutSecrets: ["Dependabot"],
  },
  delete: { types: [], ...defaultBranch },
  deployment: {
    types: [],
    ref: "branch or tag to deploy; empty for a commit",
    sha: "commit to deploy",
    withoutSecrets: ["Dependabot"],
  },
  deployment_status: {
    types: [],
    ref: "branch or tag to deploy; empty for a commit",
    sha: "commit to deploy",
    withoutSecrets: ["Dependabot"],
  },
  discussion: {
    types: [
      ...["created", "edited", "deleted", "transferred", "pinned", "unpinned", "labeled", "unlabeled", "locked"],
      ...["unlocked", "category_changed", "answered", "unanswered"],
    ],
    ...defaultBranch,
  },
  discussion_comment: { types: ["created", "edited", "deleted"], ...defaultBranch },
  fork: { types: [], ...defaultBranch },
  gollum: { types: [], ...defaultBranch },
  image_version: { types: [], ...defaultBranch },
  issue_comment: {
    types: ["created", "edited", "deleted"],
    ...defaultBranch,
    pullRequest: "issue.number, where the issue has pull_request",
  },
  issues: {
    types: [
      ...["opened", "edited", "deleted", "transferred", "pinned", "unpinned", "closed", "reopened", "assigned"],
      ...["unassigned", "labeled", "unlabeled", "locked", "unlocked", "milestoned", "demilestoned", "field_added"],
      ...["field_removed", "typed", "untyped"],
    ],
    ...defaultBranch,
  },
  label: { types: ["created", "edited", "deleted"], ...defaultBranch },
  merge_group: { types: ["checks_requested"], ref: "ref of the merge group", sha: "commit of the merge group" },
  milestone: { types: ["created", "closed", "opened", "edited", "deleted"], ...defaultBranch },
  page_build: { types: [], ...defaultBranch },
  project: { types: ["created", "closed", "reopened", "edited", "deleted"], ...defaultBranch },
  project_card: { types: ["created", "moved", "converted", "edited", "deleted"], ...defaultBranch },
  project_column: { types: ["created", "updated", "moved", "deleted"], ...defaultBranch },
  public: { types: [], ...defaultBranch },
  pull_request: { types: pullRequestTypes, ...mergeOfPullRequest },
  pull_request_review: { types: ["submitted", "edited", "dismissed"], ...mergeOfPullRequest },
  pull_request_review_comment: { types: ["created", "edited", "deleted"], ...mergeOfPullRequest },
  pull_request_target: {
    types: pullRequestTypes,
    ...defaultBranch,
    pullRequest: "pull_request.number",
    withoutSecrets: ["Dependabot"],
  },
  push: {
    types: [],
    ref: "branch or tag that was pushed; the default branch where it was deleted",
    sha: "its tip",
    withoutSecrets: ["Dependabot"],
  },
  registry_package: {
    types: ["published", "updated"],
    ref: "branch or tag of the package",
    sha: "commit of the package",
  },
  release: {
    types: ["published", "unpublished", "created", "edited", "deleted", "prereleased", "released"],
    ref: "refs/tags/<tag>",
    sha: "last commit in the release",
  },
  // The program that sends it names the type.
  repository_dispatch: { types: ["deploy-agents"], ...defaultBranch },
  schedule: { types: [], ...defaultBranch },
  status: { types: [], ...defaultBranch },
  watch: { types: ["started"], ...defaultBranch },
  // A called workflow sees the event of its caller, so this name never arrives.
  workflow_call: { types: [], ref: "the caller's", sha: "the caller's" },
  workflow_dispatch: {
    types: [],
    ref: "branch or tag that was chosen",
    sha: "last commit on it",
  },
  workflow_run: { types: ["completed", "requested", "in_progress"], ...defaultBranch },
};
