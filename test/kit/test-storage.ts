import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder of a test's own for the data of its server; it is removed at the end. */
export interface TestStorage extends AsyncDisposable {
  folder: string;
}

/** Where servers keep their data while the suites run on files (`GRAPHDEPLOY_TEST_STORE=file`); `undefined`: in memory. */
export async function testStorage(): Promise<TestStorage | undefined> {
  if (process.env.GRAPHDEPLOY_TEST_STORE !== "file") return undefined;
  const folder = await mkdtemp(join(tmpdir(), "graphdeploy-data-"));
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
