#!/usr/bin/env node
import { nodeVersionProblem } from "../core/node-version.ts";

const problem = nodeVersionProblem(process.version);
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
} else if (["--version", "-V"].includes(process.argv[2] ?? "")) {
  // Scripts ask for it often, so it doesn't wait for the parser of options.
  const { version } = await import("./version.ts");
  process.stdout.write(`${version}\n`);
} else {
  // Not a static import: an older Node.js lacks this export and would fail before the check above.
  const { enableCompileCache } = await import("node:module");
  // Enabled before the rest is imported, so that its compiled code is cached.
  enableCompileCache();
  await import("./program.ts");
}
