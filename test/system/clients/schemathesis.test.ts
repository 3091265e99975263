import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { dockerBody, startForTest } from "../../kit/mock-server/api.ts";
import { run } from "../../kit/python/run.ts";
import { virtualEnvironment } from "../../kit/python/virtual-environment.ts";

const python = await virtualEnvironment("schemathesis==4.32.5");
const skip = python.missing === undefined ? "" : ` (skipped: ${python.missing})`;
const checks = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_schema_conformance",
].join(",");

/** Runs schemathesis against one edition. With existing objects, deletions are left out. */
async function fuzz(edition: "cloud" | "self-hosted", ...args: string[]) {
  if (python.missing !== undefined) throw new Error(python.missing);
  await using mock = await startForTest();
  const folder = await mkdtemp(join(tmpdir(), "schemathesis-"));
  try {
    const api = edition === "cloud" ? mock.cloud : mock.selfHosted;
    const source = { name: "a", source: "internal_source", source_config: {}, source_revision_config: {}, secrets: [] };
    const body = edition === "cloud" ? source : dockerBody();
    const { body: deployment } = await api("POST", "/v2/deployments", body);
    const listener = { compute_type: "k8s", compute_id: "cluster", compute_config: {} };
    const { body: made } = await mock.selfHosted("POST", "/v2/listeners", listener);
    await api("POST", "/v2/auth/providers", {
      provider_id: "fixed",
      name: "Fixed",
      client_id: "client",
      auth_url: "http://127.0.0.1/authorize",
      token_url: "http://127.0.0.1/token",
    });
    const { defaultIntegrationId: integrationId } = await mock.info();
    const parameters = {
      deployment_id: deployment.id,
      revision_id: deployment.latest_revision_id,
      listener_id: made.id,
      provider_id: "fixed",
      integration_id: integrationId,
    };
    const lines = Object.entries(parameters).map(([name, value]) => `"path.${name}" = "${value}"`);
    const config = join(folder, "schemathesis.toml");
    await writeFile(config, `[parameters]\n${args.includes("positive") ? lines.join("\n") : ""}\n`);
    const url = edition === "cloud" ? mock.url : mock.selfHostedUrl;
    const common = ["--config-file", config, "run", `${url}/openapi.json`, "-H", "X-Api-Key: test-key"];
    const fixed = ["--checks", checks, "--seed", "1", "--request-timeout", "5", "--warnings", "off", "--no-color"];
    return await run(python.command("schemathesis"), [...common, ...fixed, ...args], { cwd: folder });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test.skipIf(skip)(`schemathesis finds no 5xx and no schema violation, whatever it sends${skip}`, async () => {
  const ended = await fuzz("cloud", "--phases", "fuzzing", "-n", "2", "--mode", "all");
  expect(ended).toMatchObject({ code: 0, output: expect.stringContaining("No issues found") });
});

test.skipIf(skip).each([["cloud"] as const, ["self-hosted"] as const])(
  `schemathesis finds none in the %s edition with existing objects${skip}`,
  async (edition) => {
    const ended = await fuzz(
      edition,
      "--phases",
      "fuzzing",
      "-n",
      "2",
      "--mode",
      "positive",
      "--exclude-method",
      "DELETE",
    );
    expect(ended).toMatchObject({ code: 0, output: expect.stringContaining("No issues found") });
  },
);
