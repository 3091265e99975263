import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RequestContext } from "../../../mock-server/kit/http/request-context.ts";
import { startProject } from "../../../mock-server/worker/host/start-project.ts";
import { readGraphConfig } from "../../../mock-server/worker/load/graph-config.ts";
import { copyOfProject } from "../../kit/agent-server/projects/project-copy.ts";

const app = `import { parentPort } from "node:worker_threads";
export const app = {
  fetch(request: Request) {
    if (request.url.endsWith("/crash")) parentPort?.postMessage(null);
    return new Response(ReadableStream.from([Buffer.from("one"), Buffer.from("two")]));
  },
};`;

test("a response whose worker is lost fails, and isn't mixed with responses of the next worker", async () => {
  await using copy = await copyOfProject("greeter");
  await writeFile(join(copy.folder, "app.ts"), app);
  await using project = await startProject(await readGraphConfig(join(copy.folder, "graph.json")), { onLog: () => {} });
  const get = async (path: string) => {
    const context = { method: "GET", search: "", headers: [], header: () => undefined };
    const response = await project.respond({
      path,
      context: { ...context, readBytes: async () => new Uint8Array() } as unknown as RequestContext,
      isSocket: false,
      isOpen: () => false,
      bodyLimitBytes: 1,
      ours: async () => ({ status: 404 }),
      admit: async () => null,
      onFailure: () => {},
    });
    return { ...response, reader: (response.content as ReadableStream<Uint8Array> | undefined)?.getReader() };
  };
  const interrupted = await get("/stream");
  expect(Buffer.from((await interrupted.reader?.read())?.value ?? []).toString()).toBe("one");
  expect((await get("/crash")).status).toBe(500);
  const next = await get("/stream");
  await expect(interrupted.reader?.read()).rejects.toThrow("a worker that has ended");
  expect(Buffer.from((await next.reader?.read())?.value ?? []).toString()).toBe("one");
  expect(Buffer.from((await next.reader?.read())?.value ?? []).toString()).toBe("two");
});
