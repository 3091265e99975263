import * as core from "@actions/core";
import nock from "nock";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { Console } from "../../../action/console.ts";
import { connectToGitHub, type GitHub } from "../../../action/github/client.ts";
import { upsertComment } from "../../../action/github/comment.ts";
import {
  retireEnvironment,
  startGitHubDeployment,
  updateGitHubDeployment,
} from "../../../action/github/deployments.ts";
import { isPullRequestOpen } from "../../../action/github/pull-requests.ts";
import { Redactor } from "../../../core/redact.ts";
import { someEvent } from "../../kit/action/events.ts";

const warnings: string[] = [];
const api = "https://api.github.com";
const subject = { name: "support-agent", baseUrl: "https://eu.example.com" };
const marker = "<!-- graphdeploy:support-agent@eu.example.com -->";
const runUrl = "https://github.com/acme/agents/actions/runs/77";

class Warnings extends Console {
  override warning(message: string): void {
    warnings.push(message);
  }
}

function github(): GitHub {
  const connected = connectToGitHub("ghs_token", someEvent({}), new Warnings(new Redactor(), core));
  if (connected === undefined) throw new Error("no token");
  return connected;
}

beforeAll(() => {
  if (!nock.isActive()) nock.activate();
  nock.disableNetConnect();
});
afterAll(() => nock.restore());
afterEach(() => {
  warnings.length = 0;
  nock.cleanAll();
});

test("without a token or a repository there is no GitHub to talk to", () => {
  const console = new Console(new Redactor(), core);
  expect(connectToGitHub(undefined, someEvent({}), console)).toBeUndefined();
  expect(connectToGitHub("ghs_token", someEvent({ repository: "" }), console)).toBeUndefined();
});

test("a GitHub deployment starts without waiting for checks or merging, and ends with its URL", async () => {
  const bodies: unknown[] = [];
  const keep = (body: unknown) => bodies.push(body) > 0;
  nock(api).post("/repos/acme/agents/deployments", keep).reply(201, { id: 5 });
  nock(api).post("/repos/acme/agents/deployments/5/statuses", keep).twice().reply(201, {});
  const options = { environment: "preview/a b", subject, ref: "größe", isPreview: true, runUrl };
  const deployment = await startGitHubDeployment(github(), options);
  expect(deployment).toEqual({ id: 5, environment: "preview/a b" });
  await updateGitHubDeployment(github(), { id: 5, environment: "" }, "success", {
    url: "https://agent.example.com",
    runUrl,
    description: "revision ".repeat(50),
  });
  expect(bodies).toMatchObject([
    {
      ref: "größe",
      auto_merge: false,
      required_contexts: [],
      transient_environment: true,
      production_environment: false,
      payload: { graphdeploy: { ...subject, run: runUrl } },
    },
    { state: "in_progress", log_url: runUrl },
    {
      state: "success",
      environment_url: "https://agent.example.com",
      description: `${"revision ".repeat(15).trim()}…`,
    },
  ]);
});

test("GitHub's message instead of a deployment is a warning", async () => {
  nock(api).post("/repos/acme/agents/deployments").reply(202, { message: "Auto-merged main into topic" });
  const options = { environment: "production", subject, ref: "main", isPreview: false, runUrl };
  expect(await startGitHubDeployment(github(), options)).toBeUndefined();
  expect(warnings).toEqual(["The GitHub deployment failed and was left out: Auto-merged main into topic."]);
});

test("the deployments of an environment are retired one by one, those of later pages too", async () => {
  nock(api)
    .get("/repos/acme/agents/deployments")
    .query({ environment: "preview/x", per_page: 100 })
    .reply(200, [{ id: 1 }, { id: 2 }], { link: `<${api}/next>; rel="next"` });
  nock(api)
    .get("/next")
    .reply(200, [{ id: 3 }]);
  const retired = [1, 2, 3].map((id) =>
    nock(api)
      .post(`/repos/acme/agents/deployments/${id}/statuses`, { state: "inactive", log_url: runUrl })
      .reply(201, {}),
  );
  await retireEnvironment(github(), "preview/x", runUrl);
  for (const interceptor of retired) expect(interceptor.isDone()).toBe(true);
});

test.each([
  ["open", 200, true],
  ["closed", 200, false],
  ["hidden", 404, undefined],
])("a pull request that is %s with %i is open: %o", async (state, status, isOpen) => {
  nock(api).get("/repos/acme/agents/pulls/12").reply(status, { state, message: "Not Found" });
  expect(await isPullRequestOpen(github(), 12)).toBe(isOpen);
  expect(warnings).toHaveLength(isOpen === undefined ? 1 : 0);
});

test("a comment of another bot isn't changed if the token's login is known", async () => {
  nock(api).get("/user").reply(200, { login: "deployer" });
  nock(api)
    .get("/repos/acme/agents/issues/12/comments")
    .query({ per_page: 100 })
    .reply(200, [
      { id: 1, body: marker, user: { login: "github-actions[bot]", type: "Bot" } },
      { id: 2, body: null, user: null },
    ]);
  const added = nock(api)
    .post("/repos/acme/agents/issues/12/comments", { body: `${marker}\nnew` })
    .reply(201, {});
  await upsertComment(github(), 12, { subject, text: "new", mayBeFirst: true });
  expect(added.isDone()).toBe(true);
  expect(warnings).toEqual([]);
});

test("a refusal names the status, GitHub's words and the permission", async () => {
  nock(api).get("/user").reply(403, {});
  nock(api).post("/graphql").reply(403, {});
  nock(api)
    .get("/repos/acme/agents/issues/12/comments")
    .query(true)
    .reply(403, { message: "Resource not accessible by integration" });
  await upsertComment(github(), 12, { subject, text: "text", mayBeFirst: true });
  expect(warnings[0]).toContain("GitHub responded with 403 (Resource not accessible by integration");
  expect(warnings[0]).toContain("The job needs the permission pull-requests: write.");
});
