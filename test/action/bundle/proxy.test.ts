import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { startMockServer } from "../../../mock-server/server.ts";
import { agentInputs } from "../../support/github/agents.ts";
import { ConnectProxy } from "../../support/github/connect-proxy.ts";
import { runAction } from "../../support/github/run-action.ts";
import { FakeGitHub } from "../../support/github/server.ts";
import { pullRequest } from "../events.ts";

const opened = { name: "pull_request", ref: "refs/pull/12/merge", payload: pullRequest("opened") };

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

interface Certificate {
  key: string;
  certificate: string;
}

/** A certificate for some host names, which signs itself. */
async function certificateFor(hosts: readonly string[]): Promise<Certificate> {
  const folder = await mkdtemp(join(tmpdir(), "graphdeploy-tls-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const names = `subjectAltName=${hosts.map((host) => `DNS:${host}`).join(",")}`;
  const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];
  const made = spawnSync("openssl", [
    "req",
    ...kind,
    "-keyout",
    key,
    "-out",
    certificate,
    "-subj",
    "/CN=test",
    "-addext",
    names,
  ]);
  expect(made.status, made.stderr.toString()).toBe(0);
  return { key, certificate };
}

/** A port that speaks TLS in front of one that doesn't. */
async function withTls({ key, certificate }: Certificate, port: number): Promise<number> {
  const server = createServer({ key: await readFile(key), cert: await readFile(certificate) }, (client) => {
    const upstream = connect(port, "127.0.0.1");
    client.pipe(upstream).pipe(client);
    upstream.on("error", () => client.destroy());
    client.on("error", () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const portOf = (url: string) => Number(new URL(url).port);

test.skipIf(!hasOpenssl)(
  `control plane and GitHub are reached through a proxy${hasOpenssl ? "" : " (skipped: no openssl for a certificate)"}`,
  async () => {
    await using mock = await startMockServer({ port: 0, transitions: "immediate" });
    await using github = await FakeGitHub.start();
    const certificate = await certificateFor(["control-plane.test", "github.test"]);
    await using proxy = await ConnectProxy.start({
      "control-plane.test:443": await withTls(certificate, portOf(mock.url)),
      "github.test:443": await withTls(certificate, portOf(github.url)),
    });
    const { code, outputs, log } = await runAction({
      event: opened,
      inputs: agentInputs(mock, { "base-url": "https://control-plane.test" }),
      githubUrl: "https://github.test",
      env: { HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: certificate.certificate },
    });
    expect([code, outputs.result], log).toEqual([0, "deployed"]);
    expect(github.comments.get(12), log).toHaveLength(1);
    expect(new Set(proxy.tunnels)).toEqual(new Set(["control-plane.test:443", "github.test:443"]));
  },
);

test.skipIf(!hasOpenssl)(
  `hosts of NO_PROXY are reached without the proxy${hasOpenssl ? "" : " (skipped: no openssl for a certificate)"}`,
  async () => {
    await using mock = await startMockServer({ port: 0, transitions: "immediate" });
    await using github = await FakeGitHub.start();
    const certificate = await certificateFor(["control-plane.test", "github.test"]);
    const controlPlanePort = await withTls(certificate, portOf(mock.url));
    await using proxy = await ConnectProxy.start({
      "github.test:443": await withTls(certificate, portOf(github.url)),
    });
    const { code, outputs, log } = await runAction({
      event: opened,
      inputs: agentInputs(mock, { "base-url": `https://control-plane.test:${controlPlanePort}` }),
      githubUrl: "https://github.test",
      env: {
        HTTPS_PROXY: proxy.url,
        NO_PROXY: "internal.example,control-plane.test",
        NODE_EXTRA_CA_CERTS: certificate.certificate,
        NODE_OPTIONS: `--import=${new URL("../../support/github/test-domain.ts", import.meta.url)}`,
      },
    });
    expect([code, outputs.result], log).toEqual([0, "deployed"]);
    expect(new Set(proxy.tunnels)).toEqual(new Set(["github.test:443"]));
  },
);

test("the API of a GitHub Enterprise Server is used under its own address", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  github.prefix = "/api/v3";
  const { outputs, summary, log } = await runAction({
    event: opened,
    inputs: agentInputs(mock),
    githubUrl: `${github.url}/api/v3`,
    env: { GITHUB_SERVER_URL: "https://github.example.com" },
  });
  expect(outputs.result, log).toBe("deployed");
  expect(summary).toContain("https://github.example.com/acme/agents/actions/runs/77");
  expect(github.comments.get(12)).toHaveLength(1);
  const [made] = await mock.state.deployments.all();
  expect(made?.sourceConfig.repo_url).toBe("https://github.example.com/acme/agents");
});
