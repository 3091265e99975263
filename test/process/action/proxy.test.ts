import { readFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { createServer } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { jsonResponse } from "../../../mock-server/kit/http/http-response.ts";
import type { RequestContext } from "../../../mock-server/kit/http/request-context.ts";
import { startMockServer, startMockServerWith } from "../../../mock-server/server.ts";
import { pullRequest } from "../../kit/action/events.ts";
import { type CertificateFiles, certificateFor, hasOpenssl } from "../../kit/certificate.ts";
import { agentInputs, apiKey } from "../../kit/github/agents.ts";
import { ConnectProxy } from "../../kit/github/connect-proxy.ts";
import { runBundle } from "../../kit/github/run-bundle.ts";
import { FakeGitHub } from "../../kit/github/server.ts";
import { storedDeployments } from "../../kit/stored.ts";

const opened = { name: "pull_request", ref: "refs/pull/12/merge", payload: pullRequest("opened") };

/** Forwards connections to another port of this machine, which may be set later. */
function forwardTo(portNow: () => number): (client: Socket) => void {
  return (client) => {
    const upstream = connect(portNow(), "127.0.0.1");
    client.pipe(upstream).pipe(client);
    upstream.on("error", () => client.destroy());
    client.on("error", () => upstream.destroy());
  };
}

/** Starts a server that listens until the test ends, and returns its port. */
async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

function forwardedPort(portNow: () => number): Promise<number> {
  return listen(createTcpServer(forwardTo(portNow)));
}

/** Terminates TLS in front of a port without it. */
async function withTls({ key, certificate }: CertificateFiles, port: number): Promise<number> {
  const files = { key: await readFile(key), cert: await readFile(certificate) };
  return listen(
    createServer(
      files,
      forwardTo(() => port),
    ),
  );
}

const portOf = (url: string) => Number(new URL(url).port);

test.skipIf(!hasOpenssl)(
  `control plane and GitHub are reached through a proxy${hasOpenssl ? "" : " (skipped: no openssl for a certificate)"}`,
  async () => {
    await using mock = await startMockServer({
      port: 0,
      allowedHosts: ["control-plane.test"],
      transitions: "immediate",
    });
    await using github = await FakeGitHub.start();
    const certificate = await certificateFor(["control-plane.test", "github.test"]);
    await using proxy = await ConnectProxy.start({
      "control-plane.test:443": await withTls(certificate, portOf(mock.url)),
      "github.test:443": await withTls(certificate, portOf(github.url)),
    });
    const { code, outputs, log } = await runBundle({
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
    await using mock = await startMockServer({
      port: 0,
      allowedHosts: ["control-plane.test"],
      transitions: "immediate",
    });
    await using github = await FakeGitHub.start();
    const certificate = await certificateFor(["control-plane.test", "github.test"]);
    const controlPlanePort = await withTls(certificate, portOf(mock.url));
    await using proxy = await ConnectProxy.start({
      "github.test:443": await withTls(certificate, portOf(github.url)),
    });
    const { code, outputs, log } = await runBundle({
      event: opened,
      inputs: agentInputs(mock, { "base-url": `https://control-plane.test:${controlPlanePort}` }),
      githubUrl: "https://github.test",
      env: {
        HTTPS_PROXY: proxy.url,
        NO_PROXY: "internal.example,control-plane.test",
        NODE_EXTRA_CA_CERTS: certificate.certificate,
        NODE_OPTIONS: `--import=${new URL("../../kit/github/test-domain.ts", import.meta.url)}`,
      },
    });
    expect([code, outputs.result], log).toEqual([0, "deployed"]);
    expect(new Set(proxy.tunnels)).toEqual(new Set(["github.test:443"]));
  },
);

test("a proxy variable that isn't an address is one error that names it, before any request", async () => {
  const { code, outputs, mainLog } = await runBundle({
    event: { name: "push", ref: "refs/heads/main" },
    inputs: { "api-key": "key", name: "support-agent", "graph-config-path": "graph.json" },
    env: { HTTPS_PROXY: "garbage" },
  });
  expect([code, outputs.result], mainLog).toEqual([1, "failed"]);
  expect(mainLog.match(/^::error.*$/gm)).toEqual([
    expect.stringMatching(/HTTPS_PROXY: the value of this environment variable is not the address of a proxy/),
  ]);
  expect(mainLog).not.toContain("Invalid URL");
});

test("a control plane of a compose network is deployed to once its host is allowed, its agents with the key", async () => {
  const agentServer = {
    handle: async (_: unknown, path: string, { headers }: RequestContext) => {
      const isKnown = path === "/ok" || headers.get("x-api-key") === apiKey;
      return jsonResponse(isKnown ? 200 : 403, {});
    },
  };
  let port = 0;
  const url = `http://mock.test:${await forwardedPort(() => port)}`;
  await using mock = await startMockServerWith(
    { agentServer },
    { port: 0, allowedHosts: ["control-plane.test"], transitions: "immediate", publicUrl: url },
  );
  port = portOf(mock.url);
  const domain = new URL("../../kit/github/test-domain.ts", import.meta.url);
  const options = (env: Record<string, string>) => ({
    event: { name: "push", ref: "refs/heads/main" },
    inputs: agentInputs(mock, { "base-url": url, "smoke-test": '{"assistant": "agent"}' }),
    env: { NODE_OPTIONS: `--import=${domain}`, ...env },
  });
  const refused = await runBundle(options({}));
  expect([refused.code, refused.outputs.result], refused.log).toEqual([1, "failed"]);
  expect(refused.log).toContain("GRAPHDEPLOY_ALLOW_HTTP_HOSTS=mock.test:");
  expect(mock.requests()).toEqual([]);
  const allowed = await runBundle(options({ GRAPHDEPLOY_ALLOW_HTTP_HOSTS: "mock.test" }));
  expect([allowed.code, allowed.outputs.result], allowed.log).toEqual([0, "deployed"]);
  expect(allowed.log).toContain("responded as expected");
});

test("the API of a GitHub Enterprise Server is used under its own address", async () => {
  await using mock = await startMockServer({ port: 0, allowedHosts: ["control-plane.test"], transitions: "immediate" });
  await using github = await FakeGitHub.start();
  github.prefix = "/api/v3";
  const { outputs, summary, log } = await runBundle({
    event: opened,
    inputs: agentInputs(mock),
    githubUrl: `${github.url}/api/v3`,
    env: { GITHUB_SERVER_URL: "https://github.example.com" },
  });
  expect(outputs.result, log).toBe("deployed");
  expect(summary).toContain("https://github.example.com/acme/agents/actions/runs/77");
  expect(github.comments.get(12)).toHaveLength(1);
  const [made] = await storedDeployments(mock);
  expect(made?.sourceConfig.repo_url).toBe("https://github.example.com/acme/agents");
});
