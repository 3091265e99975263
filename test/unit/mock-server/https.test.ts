import { readFile } from "node:fs/promises";
import { Agent, request } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { startMock } from "../../../mock-server/start-mock.ts";
import { certificateFor, hasOpenssl } from "../../kit/certificate.ts";

const flags = {
  port: 0,
  host: "127.0.0.1",
  transitions: "immediate",
  strict: false,
  logFormat: "json",
  runUploads: false,
} as const;

test.skipIf(!hasOpenssl)(
  `with a certificate, the server speaks https, and so do the addresses it returns${hasOpenssl ? "" : " (skipped: no openssl for a certificate)"}`,
  async () => {
    const { certificate, key } = await certificateFor(["localhost"]);
    await using mock = await startMock({ ...flags, tlsCert: certificate, tlsKey: key });
    expect(mock.url).toMatch(/^https:/);
    const dispatcher = new Agent({ connect: { ca: await readFile(certificate, "utf8"), servername: "localhost" } });
    onTestFinished(() => dispatcher.close());
    const created = await request(`${mock.url}/v2/deployments`, {
      method: "POST",
      headers: { "x-api-key": "any" },
      body: JSON.stringify({
        name: "over-tls",
        source: "github",
        source_config: { repo_url: "https://github.com/acme/agents", deployment_type: "dev" },
        source_revision_config: { repo_ref: "main", graph_config_path: "graph.json" },
        secrets: [],
      }),
      dispatcher,
    });
    const deployment = (await created.body.json()) as { source_config: { custom_url: string } };
    expect(deployment).toMatchObject({ source_config: { custom_url: expect.stringMatching(/^https:/) } });
    const ok = await request(`${deployment.source_config.custom_url}/ok`, { dispatcher });
    expect(await ok.body.json()).toEqual({ ok: true });
  },
);

test("a certificate without its key is refused", async () => {
  await expect(startMock({ ...flags, tlsCert: "certificate.pem" })).rejects.toThrow(
    "--tls-cert and --tls-key go together: give both.",
  );
});
