import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder for the data of a test's server, removed at the end of the test. */
export interface TestStorage extends AsyncDisposable {
  folder: string;
}

/**
 * The folder for servers' data when the suites run on files (`GRAPHDEPLOY_TEST_STORE=file`); `undefined`: in memory.
 */
export async function testStorage(): Promise<TestStorage | undefined> {
  if (process.env.GRAPHDEPLOY_TEST_STORE !== "file") return undefined;
  const folder = await mkdtemp(join(tmpdir(), "graphdeploy-data-"));
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
