import { expect, test } from "vitest";
import { type Rollout, reasonNotToFollow } from "../../../action/followed-revision.ts";
import type { Deployment } from "../../../core/client/wire/deployments.ts";
import { declaration, deployment, revision } from "../../kit/deployments.ts";

const commit = "a".repeat(40);
const other = "b".repeat(40);

function rollout(changes: Partial<Rollout> = {}): Rollout {
  return {
    desired: declaration(),
    source: { ref: "main", commit },
    planOptions: { droppable: "all" },
    isOwn: () => false,
    isRerun: false,
    ...changes,
  };
}

const ofCommit = (sha: string | null, status = "BUILDING") =>
  revision({ status, source_revision_config: { repo_ref: "main", repo_commit_sha: sha } });

test.each<[string, ReturnType<typeof revision>, Partial<Rollout>]>([
  ["the same commit", ofCommit(commit), {}],
  ["a branch whose commit isn't taken yet", ofCommit(null, "QUEUED"), {}],
  ["a tag", ofCommit(null), { source: { ref: "refs/tags/v1", commit: undefined } }],
  ["this run, whose commit isn't known", ofCommit(null), { isOwn: () => true }],
])("a revision of %s is followed", (_, latest, changes) => {
  expect(reasonNotToFollow(latest, deployment(), rollout(changes))).toBeUndefined();
});

test.each<[string, ReturnType<typeof revision>, Partial<Rollout>, RegExp]>([
  ["another commit", ofCommit(other), {}, /is of commit b+, not of a+/],
  ["another commit before its build", ofCommit(other, "QUEUED"), {}, /is of commit b+/],
  ["a commit that isn't known while it builds", ofCommit(null), {}, /commit isn't known/],
  ["a branch, by a run without a commit", ofCommit(other), { source: { ref: "main", commit: undefined } }, /no commit/],
  [
    "another declaration",
    ofCommit(commit),
    { desired: declaration({ sourceRevisionConfig: { repoRef: "next", graphConfigPath: "graph.json" } }) },
    /differs from it: sourceRevisionConfig\.repoRef/,
  ],
  [
    "another environment",
    ofCommit(commit),
    { desired: declaration({ env: { MODE: "a" } }) },
    /differs from it: secrets/,
  ],
])("a revision of %s isn't followed", (_, latest, changes, reason) => {
  expect(reasonNotToFollow(latest, deployment(), rollout(changes))).toMatch(reason);
});

test("where the platform hides values, only a revision of this run is followed", () => {
  const masked: Deployment = deployment({ secrets: [{ name: "TOKEN", value: "*****" }] });
  const desired = declaration({ secrets: { TOKEN: "a-secret-value" } });
  expect(reasonNotToFollow(ofCommit(commit), masked, rollout({ desired }))).toMatch(/hides the environment's values/);
  expect(reasonNotToFollow(ofCommit(commit), masked, rollout({ desired, isOwn: () => true }))).toBeUndefined();
});

test.each<[string, Partial<Rollout>, boolean]>([
  ["acme/agent@sha256:0123", {}, true],
  [`acme/agent:${commit}`, {}, true],
  [`acme/agent:main-${commit.slice(0, 7)}`, {}, true],
  ["acme/agent:latest", {}, false],
  ["acme/agent:latest", { isRerun: true }, true],
  ["acme/agent:latest", { isOwn: () => true }, true],
])("whether %s with %o can only be the image of this run: %o", (imageUri, changes, isFollowed) => {
  const image = { source_revision_config: { image_uri: imageUri } };
  const desired = { name: "support-bot", source: "external_docker", sourceRevisionConfig: { imageUri } };
  const latest = revision({ status: "DEPLOYING", source: "external_docker", ...image });
  const observed = deployment({ source: "external_docker", source_config: {}, ...image });
  const reason = reasonNotToFollow(latest, observed, rollout({ desired, ...changes }));
  if (isFollowed) expect(reason).toBeUndefined();
  else expect(reason).toContain("an older one of the same tag");
});
