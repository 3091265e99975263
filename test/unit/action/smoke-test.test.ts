import { expect, test, vi } from "vitest";
import type { Session } from "../../../action/session.ts";
import { testDeployment } from "../../../action/smoke-test.ts";
import { ControlPlane } from "../../../core/client/client.ts";
import { Redactor } from "../../../core/redact.ts";
import { resolveSettings } from "../../../core/settings.ts";
import { FakeClock } from "../../kit/fake-clock.ts";
import { startScriptedServer } from "../../kit/scripted-server.ts";

test("the wait for a slow agent server has a heartbeat", async () => {
  const clock = new FakeClock();
  const startedAt = clock.now();
  await using server = await startScriptedServer(() => ({ status: clock.now() - startedAt < 50_000 ? 503 : 200 }));
  const { settings } = resolveSettings({ explicit: { apiKey: "key", baseUrl: server.url }, env: {} });
  if (settings === undefined) throw new Error("The settings are wrong.");
  const info = vi.fn();
  const session = {
    client: new ControlPlane({ ...settings, clock }),
    console: { info },
    redactor: new Redactor(),
    signal: new AbortController().signal,
  } as unknown as Session;
  await testDeployment(session, settings, {}, server.url);
  expect(info.mock.calls).toEqual([
    ["Still waiting for the smoke test (30s)."],
    [`Smoke test: ${server.url}/ok responds.`],
  ]);
});
