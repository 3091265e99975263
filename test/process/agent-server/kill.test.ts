import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { test as base, expect } from "vitest";
import { parseEvents, thread, until } from "../../kit/agent-server/agent.ts";
import { type Api, apiOf, githubBody } from "../../kit/mock-server/api.ts";

const test = base.extend<{ folder: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest parses this pattern to find that the fixture uses no others
  folder: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), "killed-"));
    await use(folder);
    await rm(folder, { recursive: true });
  },
});

/** A server in its own process. */
interface ServerProcess {
  url: string;
  call: Api;
  kill(): Promise<void>;
}

async function startProcess(program: "main" | "dev", folder: string, ...flags: string[]): Promise<ServerProcess> {
  const file = fileURLToPath(new URL(`../../../mock-server/${program}.ts`, import.meta.url));
  const common = ["--port", "0", "--log-format", "json", "--data-dir", folder];
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [file, ...common, ...flags], { cwd: folder });
  child.stderr.pipe(process.stderr);
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const { url } = JSON.parse(line as string);
  return {
    url,
    call: apiOf(url),
    async kill() {
      child.kill("SIGKILL");
      await once(child, "close");
    },
  };
}

test("a later server resumes the queued runs of a killed one without a request to their agent server", async ({
  folder,
}) => {
  const received: Record<string, unknown>[] = [];
  const receiver = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => {
      received.push(JSON.parse(text));
      response.end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const webhook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const first = await startProcess("main", folder, "--transitions", "immediate");
  const { body: deployment } = await first.call("POST", "/v2/deployments", githubBody());
  const path = `/agents/${deployment.id}/threads/${thread(1)}/runs`;
  const long = { assistant_id: "delay", input: { ms: 3_600_000 }, if_not_exists: "create", webhook };
  const { body: interrupted } = await first.call("POST", path, long);
  const { body: waiting } = await first.call("POST", path, { ...long, input: { ms: 1 } });
  await until(async () => (await first.call("GET", `${path}/${interrupted.run_id}`)).body.status === "running");
  await first.kill();
  const second = await startProcess("main", folder, "--transitions", "immediate");
  await until(async () => received.length === 2);
  const statuses = Object.fromEntries(received.map(({ run_id: id, status }) => [id, status]));
  expect(statuses).toEqual({ [interrupted.run_id]: "interrupted", [waiting.run_id]: "success" });
  await second.kill();
  receiver.close();
});

test("events of a resumable run that readers have received survive a kill unchanged", async ({ folder }) => {
  const first = await startProcess("dev", folder);
  const path = `/threads/${thread(1)}/runs`;
  const body = { assistant_id: "delay", input: { ms: 10_000, steps: 1000 }, stream_mode: "custom" };
  const response = await fetch(`${first.url}${path}/stream`, {
    method: "POST",
    body: JSON.stringify({ ...body, stream_resumable: true, if_not_exists: "create" }),
  });
  let sent = "";
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body as ReadableStream<Uint8Array>) {
      sent += decoder.decode(chunk, { stream: true });
      if (sent.split("\n\n").length > 20) await first.kill();
    }
  } catch {
    // The connection broke with the process.
  }
  const whole = sent.slice(0, sent.lastIndexOf("\n\n") + 2);
  const second = await startProcess("dev", folder);
  const runId = parseEvents(whole)[0]?.data.run_id;
  const join = `${second.url}${path}/${runId}/stream`;
  const replayed = await (await fetch(join, { headers: { "last-event-id": "-" } })).text();
  expect(replayed.startsWith(whole)).toBe(true);
  expect(parseEvents(replayed).at(-1)).toMatchObject({ event: "error", data: { error: "RunInterrupted" } });
  await second.kill();
});
