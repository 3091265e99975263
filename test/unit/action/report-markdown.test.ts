import { expect, test } from "vitest";
import { commentMarker, renderComment } from "../../../action/github/comment.ts";
import { renderSummary } from "../../../action/github/summary.ts";
import { code, codeBlock, escapeMarkdown, lastLinesWithin, link } from "../../../action/markdown.ts";
import type { Report } from "../../../action/report.ts";
import { Redactor } from "../../../core/redact.ts";

const nothingSecret = new Redactor();

function someReport(report: Partial<Report> = {}): Report {
  return {
    result: "deployed",
    task: "deploy support-agent",
    name: "support-agent",
    isPreview: false,
    deploymentId: "d-1",
    revisionId: "r-1",
    url: "https://agent.example.com",
    webUrl: "https://smith.example.com/o/1/host/deployments/d-1",
    ref: "main",
    commit: "c".repeat(40),
    expectedCommit: "c".repeat(40),
    status: "DEPLOYED",
    steps: [
      { status: "BUILDING", startedAtMs: 1_000_000, durationMs: 61_000 },
      { status: "DEPLOYED", startedAtMs: 1_061_000, durationMs: 0 },
    ],
    logTail: [],
    runUrl: "https://github.com/acme/agents/actions/runs/77",
    ...report,
  };
}

test("a summary has the facts, the durations and the timeline", () => {
  expect(renderSummary(someReport(), nothingSecret)).toBe(`### **support-agent** ✅ is live

| | |
|---|---|
| URL | [<code>https://agent.example.com</code>](https://agent.example.com/) |
| Deployment | [<code>d-1</code>](https://smith.example.com/o/1/host/deployments/d-1) |
| Revision | <code>r-1</code> (DEPLOYED) |
| Ref | <code>main</code> |
| Commit | <code>${"c".repeat(40)}</code> |
| Run | [log of the run](https://github.com/acme/agents/actions/runs/77) |

| Status | Duration |
|---|---|
| BUILDING | 1m 01s |
| DEPLOYED | 0ms |

\`\`\`mermaid
gantt
  dateFormat x
  axisFormat %s s
  section Rollout
  BUILDING :active, 0, 61000
  DEPLOYED :done, 61000, 61001
\`\`\`

`);
});

test("names, refs and messages of others can't format, mention or break the table", () => {
  const evil = "x|y\n@team <img src=x onerror=y> [a](b) **b** `c` </details>";
  for (const render of [renderSummary, renderComment]) {
    const text = render(someReport({ name: evil, ref: evil, message: evil, status: evil, steps: [] }), nothingSecret);
    expect(text).not.toMatch(/<img|<\/details>|@team|\[a\]\(b\)/);
    for (const row of text.split("\n").filter((line) => line.startsWith("|"))) {
      expect(row.match(/(?<!\\)\|/g)).toHaveLength(3);
    }
  }
});

test("an unknown status doesn't break the timeline", () => {
  const steps = [
    { status: "A:B;C\n%%", startedAtMs: 0, durationMs: 1 },
    { status: "BUILD_FAILED", startedAtMs: 1, durationMs: 0 },
  ];
  const text = renderSummary(someReport({ steps }), nothingSecret);
  expect(text).toContain("  Status A B C :active, 0, 1\n  BUILD_FAILED :crit, 1, 2");
});

test("summary and comment stay within GitHub's limits, whatever they hold", () => {
  const long = "ß€😀".repeat(100_000);
  const report = someReport({
    message: long,
    logTail: Array.from({ length: 5_000 }, () => long.slice(0, 5_000)),
    plan: {
      action: "revision",
      changes: Array.from({ length: 5_000 }, () => ({ path: "env", effect: "revision" as const, reason: "x" })),
    },
  });
  expect(Buffer.byteLength(renderSummary(report, nothingSecret))).toBeLessThanOrEqual(256 * 1024 + 3);
  const comment = renderComment(report, nothingSecret);
  expect(comment.length).toBeLessThanOrEqual(60_000);
  expect(comment.isWellFormed()).toBe(true);
  expect(comment).toContain("cut: the rest is in the log");
});

test("secret values are redacted from rendered text", () => {
  const redactor = new Redactor(["s3cr3t-value"]);
  const report = someReport({ message: "it was s3cr3t-value", logTail: ["s3cr3t-value"], ref: "s3cr3t-value" });
  for (const render of [renderSummary, renderComment]) expect(render(report, redactor)).not.toContain("s3cr3t-value");
});

test("the marker of a comment is one for each name and control plane and can't be closed by them", () => {
  const baseUrl = "https://eu.example.com/api-host";
  expect(commentMarker({ name: "support-agent", baseUrl })).toBe("<!-- graphdeploy:support-agent@eu.example.com -->");
  expect(commentMarker({ name: "a --> @b", baseUrl: "http://127.0.0.1:80801" })).toBe(
    "<!-- graphdeploy:a%20--%3E%20%40b@http%3A%2F%2F127.0.0.1%3A80801 -->",
  );
});

test("a fence is longer than any in the text, and a link leads to the web only", () => {
  expect(codeBlock(["````", "x"])).toBe("`````text\n````\nx\n`````");
  expect(link("here", "javascript:alert(1)")).not.toContain("](");
  expect(link("here", "https://example.com/a(b)|c")).toBe("[here](https://example.com/a%28b%29%7Cc)");
  expect(code("a|`<@")).toBe("<code>a&#124;&#96;&lt;&#64;</code>");
  expect(escapeMarkdown("a\r\nb")).toBe("a b");
});

test("of too many lines the last are kept", () => {
  expect(lastLinesWithin(["a", "b", "c"], 100)).toEqual(["a", "b", "c"]);
  expect(lastLinesWithin(["aaaa", "bbbb", "cccc"], 10)).toEqual(["… 1 lines left out …", "bbbb", "cccc"]);
  expect(lastLinesWithin(["x".repeat(5_000)], 10_000)[0]?.length).toBeLessThan(600);
});
