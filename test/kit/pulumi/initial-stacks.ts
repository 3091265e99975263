import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

interface NewProject {
  folder: string;
  /** The CLI's executable. */
  cli: string;
  environment: NodeJS.ProcessEnv;
}

/** What `pulumi stack init` wrote, by path, for the names of the stacks. */
const written = new Map<string, Promise<ReadonlyMap<string, string>>>();

/**
 * Makes empty stacks in a project `program` whose backend is the folder `.state`. The command derives a key, which
 * takes longer than all else it does, so it runs once for all projects of a process.
 *
 * @throws Error when the CLI can't create a stack
 */
export async function initializeStacks(names: readonly string[], project: NewProject): Promise<void> {
  const key = names.join();
  const files = written.get(key) ?? filesOf(names, project);
  written.set(key, files);
  for (const [path, text] of await files) {
    await mkdir(dirname(join(project.folder, path)), { recursive: true });
    await writeFile(join(project.folder, path), text);
  }
}

async function filesOf(names: readonly string[], { cli, environment }: NewProject): Promise<Map<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), "graphdeploy-stacks-"));
  try {
    const state = join(folder, ".state");
    await mkdir(state);
    await writeFile(join(folder, "Pulumi.yaml"), "name: program\nruntime: nodejs\n");
    const env = { ...environment, PULUMI_BACKEND_URL: `file://${state}` };
    for (const name of names) await run(cli, ["stack", "init", name, "--non-interactive"], { cwd: folder, env });
    await rm(join(folder, "Pulumi.yaml"));
    const found = await readdir(folder, { recursive: true, withFileTypes: true });
    const paths = found.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
    return new Map(
      await Promise.all(
        paths.map(async (path) => [relative(folder, path), await readFile(path, "utf8")] as [string, string]),
      ),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
