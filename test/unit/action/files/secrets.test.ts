// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the declarative file
import { expect, test } from "vitest";
import { startMockServer } from "../../../../mock-server/server.ts";
import { pullRequest } from "../../../kit/action/events.ts";
import { apiKey, secretValue } from "../../../kit/github/agents.ts";
import { agentsFile, push, runFile } from "../../../kit/github/file-steps.ts";
import { FakeGitHub } from "../../../kit/github/server.ts";
import { token } from "../../../kit/github/step.ts";

const keyText = "first-line-of-the-key\nsecond-line-of-the-key\n";
const file = agentsFile
  .replace(
    'secrets: { TOKEN: "${TOKEN}" }',
    'secrets: { TOKEN: "${TOKEN}", KEY: "${file:key.pem}", PIN: "literal-in-the-file" }',
  )
  .replace("search: {}", 'search: { env: { URL: "https://user:${TOKEN}@db.example.com" } }');
const files = { "graphdeploy.yaml": file, "key.pem": keyText };
const secrets = [secretValue, "first-line-of-the-key", "second-line-of-the-key", "literal-in-the-file", apiKey, token];
const forms = [...secrets, encodeURIComponent(secretValue), Buffer.from(secretValue).toString("base64")];

test.each(["BUILD_FAILED", undefined] as const)(
  "values of variables, of files and of the file itself are masked and written nowhere (%s)",
  async (fail) => {
    await using mock = await startMockServer({ port: 0, transitions: "immediate" });
    await using github = await FakeGitHub.start();
    const logLines = forms.map((form) => `leak ${form}`);
    mock.transitions.set({ rules: [{ name: "*", logLines, ...(fail === undefined ? {} : { fail }) }] });
    const env = { TOKEN: secretValue };
    const inputs = { "github-environment": "{name}" };
    const applied = await runFile(mock, { event: push("a".repeat(40)), files, env, inputs, githubUrl: github.url });
    expect(applied.outputs.result, applied.log).toBe(fail === undefined ? "deployed" : "failed");
    const opened = { name: "pull_request", ref: "refs/pull/12/merge", payload: pullRequest("opened") };
    const plan = await runFile(mock, {
      event: opened,
      files: { ...files, "graphdeploy.yaml": file.replace("db.example.com", "db.example.org") },
      env,
      githubUrl: github.url,
    });
    expect(plan.outputs.result, plan.log).toBe("planned");
    for (const secret of secrets) expect(applied.log).toContain(`::add-mask::${secret}\n`);
    const searched = applied.everything + plan.everything + github.written();
    for (const form of forms) expect(searched).not.toContain(form);
  },
);

test("common words, and what GitHub shows itself, aren't masked", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const { log, outputs } = await runFile(mock, {
    event: push("a".repeat(40)),
    env: { TOKEN: "true", GIT_REF: "main", GITHUB_REF_NAME: "main" },
  });
  expect(outputs.result, log).toBe("deployed");
  expect(log).not.toMatch(/::add-mask::(?:true|main)\n/);
  expect(log).toContain("too common in ordinary text: support.secrets.TOKEN (a common word).");
  expect(outputs.plan).toContain('"to":"main"');
});

test("the runner's own variables can't be filled in", async () => {
  await using mock = await startMockServer({ port: 0 });
  const { code, log } = await runFile(mock, {
    event: push("a".repeat(40)),
    file: agentsFile.replace("${TOKEN}", "${ACTIONS_RUNTIME_TOKEN}"),
    env: { ACTIONS_RUNTIME_TOKEN: secretValue },
  });
  expect(code).toBe(1);
  expect(log).toContain("needs the environment variable ACTIONS_RUNTIME_TOKEN, which isn't set.");
});
