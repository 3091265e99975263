import { fileURLToPath } from "node:url";
import { context } from "esbuild";
import { startProject } from "../../../mock-server/worker/host/start-project.ts";
import { readGraphConfig } from "../../../mock-server/worker/load/graph-config.ts";
import { startAgentOf } from "../agent-server/compiled/project.ts";

const folder = fileURLToPath(new URL("../../../examples/chat-page", import.meta.url));

/** Serves examples/chat-page, and its graph by an agent server. */
export async function startChatPage(): Promise<AsyncDisposable & { addressOf(transport: string): string }> {
  await using started = new AsyncDisposableStack();
  const project = started.use(await startProject(await readGraphConfig(`${folder}/graph.json`)));
  const agent = started.use(await startAgentOf(project));
  const bundler = started.adopt(
    await context({
      entryPoints: [`${folder}/page.tsx`],
      bundle: true,
      jsx: "automatic",
      outfile: `${folder}/page.js`,
      write: false,
      logLevel: "silent",
    }),
    (one) => one.dispose(),
  );
  const { port } = await bundler.serve({ servedir: folder, host: "127.0.0.1", port: 0 });
  const disposables = started.move();
  return {
    addressOf: (transport) => `http://127.0.0.1:${port}/?${new URLSearchParams({ server: agent.url, transport })}`,
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  };
}
