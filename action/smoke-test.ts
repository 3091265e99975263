import { request } from "undici";
import { reasonToWithholdKey } from "../core/client/agent-server.ts";
import { defaultDispatcher } from "../core/client/connection.ts";
import type { Redactor } from "../core/redact.ts";
import { defaultHeartbeatMs, Heartbeat } from "../core/rollout/waiting.ts";
import type { Settings } from "../core/settings.ts";
import { formatDuration } from "../core/time.ts";
import type { Session } from "./session.ts";
import { shortenedText } from "./shortened-text.ts";
import type { SmokeTest } from "./smoke-test-input.ts";

/** How long an agent server may take to respond to `/ok` once its revision is live, in milliseconds. */
const wakeUpMs = 60_000;

/** Timeout of the run, in milliseconds. */
const runMs = 180_000;

type TestSession = Pick<Session, "console" | "client" | "redactor" | "signal">;

/** A live deployment failed its smoke test. */
export class SmokeTestError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "SmokeTestError";
  }
}

/**
 * Tests the agent server at `url`.
 * @throws {@link SmokeTestError} when it doesn't respond in time, or not as expected
 */
export async function testDeployment(
  session: TestSession,
  settings: Settings,
  test: SmokeTest,
  url: string | undefined,
): Promise<void> {
  const { console, client, redactor, signal } = session;
  if (url === undefined)
    throw new SmokeTestError("The smoke test has no URL to call: the platform names none for the deployment.");
  const root = url.replace(/\/+$/, "");
  const startedAt = client.clock.now();
  using _heartbeat = new Heartbeat(client.clock, defaultHeartbeatMs, () => {
    console.info(`Still waiting for the smoke test (${formatDuration(client.clock.now() - startedAt)}).`);
  });
  const deadline = startedAt + wakeUpMs;
  for (;;) {
    const response = await send(`${root}/ok`, settings, { signal });
    if (response.status === 200) break;
    if (client.clock.now() >= deadline) {
      throw new SmokeTestError(
        `${root}/ok ${describe(response, redactor)}, still ${formatDuration(wakeUpMs)} after the revision was live.`,
      );
    }
    await client.clock.sleep(2_000, signal);
  }
  console.info(`Smoke test: ${root}/ok responds.`);
  if (test.run !== undefined) await testRun(session, settings, test.run, root);
}

async function testRun(
  { console, redactor, signal }: TestSession,
  settings: Settings,
  run: NonNullable<SmokeTest["run"]>,
  root: string,
) {
  const reason = reasonToWithholdKey(new URL(root), settings);
  if (reason !== undefined) {
    console.warning(`The smoke test called only /ok: ${new URL(root).host} isn't sent the API key, since ${reason}.`);
    return;
  }
  const response = await send(`${root}/runs/wait`, settings, {
    signal,
    body: { assistant_id: run.assistant, input: run.input },
    apiKey: settings.apiKey,
  });
  if (response.status !== 200) throw new SmokeTestError(`The run of the smoke test ${describe(response, redactor)}.`);
  if (!run.match.test(response.text)) {
    throw new SmokeTestError(
      `The output of the smoke test's run doesn't match ${run.match}: ${shortenedText(redactor.text(response.text), 500)}`,
    );
  }
  console.info(`Smoke test: a run of ${run.assistant} responded as expected.`);
}

interface ServerResponse {
  /** 0 if there was no response. */
  status: number;
  text: string;
}

async function send(
  url: string,
  { allowHttpHosts }: Settings,
  { signal, body, apiKey }: { signal: AbortSignal; body?: unknown; apiKey?: string },
): Promise<ServerResponse> {
  try {
    const response = await request(url, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(apiKey === undefined ? {} : { "x-api-key": apiKey }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      dispatcher: defaultDispatcher(url, allowHttpHosts),
      signal: AbortSignal.any([signal, AbortSignal.timeout(body === undefined ? 10_000 : runMs)]),
    });
    return { status: response.statusCode, text: await response.body.text() };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    return { status: 0, text: error instanceof Error ? error.message : String(error) };
  }
}

/** Describes a response, redacted before truncation: half a secret isn't recognized. */
function describe({ status, text }: ServerResponse, redactor: Redactor): string {
  return status === 0
    ? `could not be reached (${text})`
    : `responded with ${status}: ${shortenedText(redactor.text(text), 300)}`;
}
