// `npm run check`: everything but the tests. All checks run; the exit status says whether all passed.
import { buildPackage } from "./build-package.ts";
import { runCommand } from "./run-command.ts";

interface Check {
  readonly name: string;
  /** The exit status. */
  readonly run: () => Promise<number>;
}

const command = (name: string, executable: string, ...args: string[]): Check => ({
  name,
  run: () => runCommand(`node_modules/.bin/${executable}`, args),
});

const checks: Check[] = [
  command("format and lint", "biome", "check", "--error-on-warnings"),
  command("types", "tsc", "-p", "."),
  command("unused code", "knip"),
  { name: "build", run: () => buildPackage().then(() => 0) },
  command("package manifest", "publint", "--strict", "--pack", "false"),
  command("types of the package", "attw", "--pack", "."),
  { name: "package in use", run: () => runCommand(process.execPath, ["scripts/package-smoke.ts"]) },
];

const failed: string[] = [];
for (const { name, run } of checks) {
  process.stdout.write(`\n== ${name}\n`);
  const status = await run().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    return 1;
  });
  if (status !== 0) failed.push(name);
}
process.stdout.write(failed.length === 0 ? "\nAll checks passed.\n" : `\nFailed checks: ${failed.join(", ")}.\n`);
if (failed.length > 0) process.exitCode = 1;
