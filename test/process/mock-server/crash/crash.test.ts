import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { createIdSource } from "../../../../mock-server/kit/ids.ts";
import { until } from "../../../kit/agent-server/agent.ts";
import { apiOf, githubBody } from "../../../kit/mock-server/api.ts";
import { Lane, type Target } from "./lane.ts";

/** `npm run test:long` runs more. */
const rounds = Number(process.env.GRAPHDEPLOY_CRASH_ROUNDS ?? 6);
const seed = Number(process.env.GRAPHDEPLOY_CRASH_SEED ?? 1);
const program = fileURLToPath(new URL("../../../../mock-server/main.ts", import.meta.url));

async function start(folder: string) {
  const flags = ["--port", "0", "--log-format", "json", "--transitions", "immediate", "--data-dir", folder];
  const child = spawn(process.execPath, [program, ...flags], { stdio: ["ignore", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout });
  const [line] = await once(lines, "line");
  return { url: JSON.parse(line as string).url as string, child, exited: once(child, "exit") };
}

test(
  `${rounds} servers killed during the writes of four clients lose no acknowledged write (seed ${seed})`,
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "crash-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const source = createIdSource(seed);
    const below = (count: number) => Math.floor(source.random() * count);
    const lanes = [1, 2, 3, 4].map((number) => new Lane(number));
    /** The owner of each id that the test has seen. */
    const ids = new Map<string, string>();
    let sharedId: string | undefined;
    for (let round = 0; round < rounds; round++) {
      const { url, child, exited } = await start(folder);
      onTestFinished(() => void child.kill("SIGKILL"));
      const controlPlane = apiOf(url);
      sharedId ??= (await controlPlane("POST", "/v2/deployments", githubBody({ name: "shared" }))).body.id as string;
      const target: Target = { controlPlane, agent: apiOf(`${url}/agents/${sharedId}`), below };
      for (const lane of lanes) await until(() => lane.hasSettled(target));
      for (const lane of lanes) expect(await lane.check(target, ids), `round ${round}`).toEqual([]);
      const writing = Promise.all(lanes.map((lane) => lane.write(target)));
      await Promise.race([writing, wait(20 + below(400))]);
      child.kill("SIGKILL");
      await exited;
      await writing;
    }
  },
  Math.max(180_000, rounds * 10_000),
);
