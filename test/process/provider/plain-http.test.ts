import { expect, test } from "vitest";
import { startMockServer } from "../../../mock-server/server.ts";
import { Provider } from "../../../provider/provider.ts";
import { platform, program, startGround, summary } from "../../kit/provider/ground.ts";

// Simulates a control plane inside a cluster or Compose network: this machine, under an address that doesn't count as
// loopback.

const hostOf = (url: string) => new URL(url).host.replace("127.0.0.1", "0.0.0.0");

test("plain http to another host is refused in the preview, with the setting that allows it", async () => {
  await using mock = await startMockServer({ port: 0, host: "0.0.0.0", transitions: "immediate" });
  const host = hostOf(mock.url);
  await using ground = await startGround({ baseUrl: `http://${host}` });
  for (const steps of [await ground.engine.preview(program()), await ground.engine.up(program())]) {
    expect(summary(steps)).toEqual([
      expect.stringContaining(`GRAPHDEPLOY_ALLOW_HTTP_HOSTS=${host} (or allowHttpHosts`),
    ]);
  }
  expect(mock.requests()).toEqual([]);
});

test.each(["the environment", "the stack's configuration", "a Provider"])(
  "plain http to a host that %s allows can deploy, refresh and destroy",
  async (source) => {
    await using mock = await startMockServer({ port: 0, host: "0.0.0.0", transitions: "immediate" });
    const host = hostOf(mock.url);
    const allowHttpHosts = ["other", host];
    const isProvider = source === "a Provider";
    await using ground = await startGround({
      baseUrl: isProvider ? "" : `http://${host}`,
      ...(source === "the environment"
        ? { environment: { GRAPHDEPLOY_ALLOW_HTTP_HOSTS: allowHttpHosts.join(",") } }
        : {}),
      ...(source === "the stack's configuration"
        ? { config: { "graphdeploy:allowHttpHosts": allowHttpHosts.join(", ") } }
        : {}),
    });
    const provider = new Provider({ baseUrl: `http://${host}`, allowHttpHosts });
    const agent = program({}, isProvider ? { provider } : {});
    expect(summary(await ground.engine.up(agent))).toEqual(["create"]);
    expect(summary(await ground.engine.refresh())).toEqual(["read"]);
    expect(summary(await ground.engine.up(agent))).toEqual(["same"]);
    expect(summary(await ground.engine.destroy())).toEqual(["delete"]);
    expect((await platform(mock)).deployments).toEqual([]);
  },
);

test("a proxy variable that isn't an address is named in the preview", async () => {
  await using ground = await startGround({
    baseUrl: "https://control-plane.invalid",
    environment: { HTTPS_PROXY: "garbage" },
  });
  expect(summary(await ground.engine.preview(program()))).toEqual([
    expect.stringContaining("HTTPS_PROXY: the value of this environment variable is not the address of a proxy."),
  ]);
});
