import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { parseRemote } from "../../../cli/repository.ts";
import { startMockServer } from "../../../mock-server/server.ts";
import { type CommandProject, createCommandProject } from "../../kit/cli/command.ts";
import { agents } from "../../kit/files.ts";

test.each([
  ["https://github.com/acme/agents.git", "acme/agents", "https://github.com/acme/agents"],
  ["https://user:token@github.com/acme/agents", "acme/agents", "https://github.com/acme/agents"],
  ["ssh://git@github.com:22/acme/agents.git", "acme/agents", "https://github.com/acme/agents"],
  ["git@github.com:acme/agents.git", "acme/agents", "https://github.com/acme/agents"],
  ["github.com:acme/agents", "acme/agents", "https://github.com/acme/agents"],
  ["git@gitlab.example:group/sub/agents.git", "group/sub/agents", "https://gitlab.example/group/sub/agents"],
  ["https://git.example:8443/acme/agents/", "acme/agents", "https://git.example:8443/acme/agents"],
])("the remote %s is %s", (remote, repository, repositoryUrl) => {
  expect(parseRemote(remote)).toEqual({ repository, repositoryUrl });
});

test.each(["/srv/git/agents.git", "../agents", "file:///srv/git/agents.git", "C:\\agents", "https://github.com/", ""])(
  "the remote %j names no repository on a host",
  (remote) => {
    expect(parseRemote(remote)).toBeUndefined();
  },
);

const git = (project: CommandProject, ...args: string[]) => execFileSync("git", args, { cwd: project.folder });

/** The owner that a plan of `deploy/graphdeploy.yaml` marks its deployment with, or its error. */
async function ownerIn(project: CommandProject, ...args: string[]): Promise<string> {
  const { stdout, stderr } = await project.run("plan", "deploy/graphdeploy.yaml", ...args);
  return /marks it as owned by (\S+)/.exec(stdout)?.[1] ?? stderr;
}

test("the owner has the repository and the path from its root", async () => {
  await using mock = await startMockServer({ port: 0 });
  using project = createCommandProject(mock.url, { GITHUB_REPOSITORY: "" });
  project.write("deploy/graphdeploy.yaml", agents("  chat: {}", "environments: { staging: {} }"));
  expect(await ownerIn(project)).toBe(
    "error: The repository of deploy/graphdeploy.yaml isn't known: GITHUB_REPOSITORY isn't set, and there is no remote named origin. Pass --repository owner/name. It is part of the ownership marker of each deployment.\n",
  );
  const given = ["--repository", "Acme/Agents"];
  expect(await ownerIn(project, ...given)).toBe("acme/agents#deploy/graphdeploy.yaml:chat");
  expect(await ownerIn(project, ...given, "--root", "deploy")).toBe("acme/agents#graphdeploy.yaml:chat");
  // Two files of one name must not have one owner.
  project.env.GITHUB_WORKSPACE = "";
  const unknown = "error: The root of the repository of deploy/graphdeploy.yaml isn't known: ";
  expect(await ownerIn(project, ...given)).toContain(`${unknown}no folder above it has a .git. Pass --root <folder>.`);
  expect(await ownerIn(project, ...given, "--root", "nowhere")).toContain(`${unknown}it isn't in the given root.`);
  git(project, "init", "--quiet");
  git(project, "remote", "add", "origin", "../agents");
  expect(await ownerIn(project)).toContain("the remote origin isn't on a host");
  git(project, "remote", "set-url", "origin", "https://user:token@git.example/acme/remote.git");
  expect(await ownerIn(project)).toBe("acme/remote#deploy/graphdeploy.yaml:chat");
  expect(await ownerIn(project, "--environment", "staging")).toBe("acme/remote#deploy/graphdeploy.yaml@staging:chat");
  expect(await ownerIn(project, "--preview", "7")).toBe("acme/remote#deploy/graphdeploy.yaml@pr-7:chat-pr-7");
  project.env.GITHUB_REPOSITORY = "acme/workflow";
  expect(await ownerIn(project)).toBe("acme/workflow#deploy/graphdeploy.yaml:chat");
  // A hook of Git sets its variables.
  project.env.GIT_DIR = "/nowhere";
  project.env.GITHUB_REPOSITORY = "";
  expect(await ownerIn(project)).toBe("acme/remote#deploy/graphdeploy.yaml:chat");
  project.env.GITHUB_REPOSITORY = "acme/workflow";
  // Git isn't needed.
  project.env.PATH = "";
  expect(await ownerIn(project)).toBe("acme/workflow#deploy/graphdeploy.yaml:chat");
});

test("--commit rolls out the deployments of this repository, and --ref those of one branch", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  using project = createCommandProject(mock.url);
  const other = "source_config: { repo_url: https://github.com/acme/other }";
  project.write(
    "graphdeploy.yaml",
    agents(`  chat: {}\n  next: { source_revision_config: { repo_ref: next } }\n  other: { ${other} }`),
  );
  await project.run("apply", "--yes");
  const commit = "c0ffee".padEnd(40, "0");
  await mock.push({ repoUrl: "https://github.com/acme/agents", ref: "main", commit });
  const plan = await project.run("plan", "--commit", commit, "--ref", "main");
  expect(plan.stdout).toContain(`~ chat: roll out a new revision\n    commit ${commit} must go live\n`);
  expect(plan.stdout).toContain("  next: unchanged\n  other: unchanged\n");
  expect(await project.run("apply", "--yes", "--commit", commit, "--ref", "main")).toMatchObject({ code: 0 });
  const again = await project.run("plan", "--detailed-exitcode", "--commit", commit, "--ref", "main");
  expect(again.code).toBe(0);
});
