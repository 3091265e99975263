import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { test as base, expect } from "vitest";
import { type Api, apiOf, githubBody } from "../mock-server/api.ts";
import { parseEvents, thread, until } from "./agent.ts";

const test = base.extend<{ folder: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: the test runner reads from the source text that the fixture needs no other
  folder: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), "killed-"));
    await use(folder);
    await rm(folder, { recursive: true });
  },
});

/** A server in a process of its own. */
interface ServerProcess {
  url: string;
  call: Api;
  kill(): Promise<void>;
}

async function startProcess(program: "main" | "dev", folder: string, ...flags: string[]): Promise<ServerProcess> {
  const file = fileURLToPath(new URL(`../../mock-server/${program}.ts`, import.meta.url));
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

test("deployments' runs that wait run after their server was killed, without a request to their agent server", async ({
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
  const told = Object.fromEntries(received.map(({ run_id: id, status }) => [id, status]));
  expect(told).toEqual({ [interrupted.run_id]: "interrupted", [waiting.run_id]: "success" });
  await second.kill();
  receiver.close();
});

test("what readers were sent of a resumable run is there after a kill, in the same words", async ({ folder }) => {
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

test("whenever a server is killed, what it has answered is there and nothing is there by half", async ({ folder }) => {
  const acknowledged = {
    threads: new Map<string, unknown>(),
    items: new Map<string, unknown>(),
    runs: new Map<string, string>(),
  };
  const step = fc.constantFrom("thread", "patch", "item", "run", "wait", "copy", "supersteps", "update");
  let n = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), fc.nat(60), async (steps, killAfterMs) => {
      const server = await startProcess("dev", folder);
      const work = async (kind: string) => {
        const own = ++n;
        const id = thread(own);
        const ids = [...acknowledged.threads.keys()];
        const known = ids[own % Math.max(1, ids.length)];
        if (kind === "thread") {
          const { body } = await server.call("POST", "/threads", {
            thread_id: id,
            metadata: { own, graph_id: "events" },
          });
          acknowledged.threads.set(id, body.metadata);
        } else if (kind === "patch" && known) {
          const { body } = await server.call("PATCH", `/threads/${known}`, { metadata: { own } });
          acknowledged.threads.set(known, body.metadata);
        } else if (kind === "item") {
          const { status } = await server.call("PUT", "/store/items", {
            namespace: ["a"],
            key: `k${own}`,
            value: { own },
          });
          if (status === 204) acknowledged.items.set(`k${own}`, { own });
        } else if (kind === "run" || kind === "wait") {
          const run = { assistant_id: "events", input: { steps: 3 }, if_not_exists: "create", metadata: { kind } };
          const { headers } = await server.call("POST", `/threads/${id}/runs${kind === "wait" ? "/wait" : ""}`, run);
          const location = headers.get("content-location");
          if (location) acknowledged.runs.set(location, kind);
        } else if (kind === "supersteps") {
          const update = (step: number) => ({ updates: [{ values: { steps: step }, as_node: "__input__" }] });
          const body = {
            thread_id: id,
            metadata: { graph_id: "events", stepped: true },
            supersteps: [update(1), update(2)],
          };
          await server.call("POST", "/threads", body);
        } else if (kind === "update" && known) {
          await server.call("POST", `/threads/${known}/state`, { values: { steps: own }, as_node: "__input__" });
        } else if (known) await server.call("POST", `/threads/${known}/copy`, {});
      };
      const working = Promise.all(steps.map((kind) => work(kind).catch(() => undefined)));
      await new Promise((resolve) => setTimeout(resolve, killAfterMs));
      await server.kill();
      await working;

      const next = await startProcess("dev", folder);
      for (const [id, metadata] of acknowledged.threads) {
        const { body } = await next.call("GET", `/threads/${id}`);
        // A patch whose answer was lost may have been kept.
        expect(Object.keys(body.metadata)).toEqual(expect.arrayContaining(Object.keys(metadata as object)));
      }
      for (const [key, value] of acknowledged.items) {
        expect((await next.call("GET", `/store/items?namespace=a&key=${key}`)).body.value).toEqual(value);
      }
      for (const [path, kind] of acknowledged.runs) {
        await until(async () => !["pending", "running"].includes((await next.call("GET", path)).body.status));
        const { body: run } = await next.call("GET", path);
        expect(kind === "wait" ? ["success"] : ["success", "interrupted"]).toContain(run.status);
      }
      const { body: all } = await next.call("POST", "/threads/search", { limit: 1000 });
      expect(new Set(all.map(({ thread_id: id }: { thread_id: string }) => id)).size).toBe(all.length);
      for (const { thread_id: id, metadata } of all) {
        await until(async () => (await next.call("GET", `/threads/${id}`)).body.status === "idle");
        // A thread's values are those of its last checkpoint, and one that is made of steps has all of them.
        const { values: shown = {} } = (await next.call("GET", `/threads/${id}`)).body;
        const { values } = (await next.call("GET", `/threads/${id}/state`)).body;
        expect(shown).toEqual(values);
        if (metadata.stepped) expect(values.steps).toBe(2);
      }
      await next.kill();
    }),
    { numRuns: Number(process.env.GRAPHDEPLOY_KILLS ?? 5), endOnFailure: true },
  );
}, 120_000);
