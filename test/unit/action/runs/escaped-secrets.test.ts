import { expect, test } from "vitest";
import { renderComment } from "../../../../action/github/comment.ts";
import { renderSummary } from "../../../../action/github/summary.ts";
import { Redactor } from "../../../../core/redact.ts";
import { startMockServer } from "../../../../mock-server/server.ts";
import { pullRequest } from "../../../kit/action/events.ts";
import { agentInputs } from "../../../kit/github/agents.ts";
import { runAction } from "../../../kit/github/run-action.ts";
import { FakeGitHub } from "../../../kit/github/server.ts";

const secret = "sk_live_abc*def_[0123456789]";
const opened = { name: "pull_request", ref: "refs/pull/12/merge", payload: pullRequest("opened") };

test("a secret with characters that Markdown escapes is in neither the comment nor the summary", () => {
  const report = {
    task: "deploy support-agent",
    name: "support-agent",
    isPreview: false,
    ref: `branch-${secret}`,
    message: `The platform said ${secret}.`,
    steps: [{ status: `ODD ${secret}`, startedAtMs: 0, durationMs: 1 }],
    logTail: [`${"y".repeat(490)}${secret}${"z".repeat(3_000)}`],
    plan: {
      action: "patch",
      changes: [{ path: "env.A", effect: "patch" as const, from: { deep: [secret] }, to: secret, reason: secret }],
    },
    runUrl: "https://github.com/acme/agents/actions/runs/77",
  };
  const redactor = new Redactor([secret]);
  for (const text of [renderComment(report, redactor), renderSummary(report, redactor)]) {
    expect(text).toContain("redacted");
    expect(text).not.toMatch(/sk(\\|&#92;)?(_|&#95;)|live|abc|0123456789/);
  }
});

// The run's output is truncated after 500 characters: behind the secret, or in the middle of it.
test.each([3, 462])(
  "the output of a smoke test that quotes a secret after %i characters shows no part of it",
  async (before) => {
    await using mock = await startMockServer({ port: 0, transitions: "immediate" });
    await using github = await FakeGitHub.start();
    const content = `${"x".repeat(before)}${secret}`;
    const { everything, log, outputs } = await runAction({
      event: opened,
      githubUrl: github.url,
      inputs: agentInputs(mock, {
        secrets: `KEY=${secret}`,
        "smoke-test": JSON.stringify({
          assistant: "agent",
          input: { messages: [{ role: "user", content }] },
          match: "no such answer",
        }),
      }),
    });
    expect(outputs.result, log).toBe("failed");
    expect(everything).toContain("doesn't match");
    const comments = github.comments.get(12)?.map(({ body }) => body) ?? [];
    expect(comments).toHaveLength(1);
    for (const text of [everything, ...comments]) expect(text).not.toMatch(/sk\\?_live/);
  },
);
