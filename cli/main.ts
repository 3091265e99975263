#!/usr/bin/env node
import { nodeVersionProblem } from "../core/node-version.ts";

const problem = nodeVersionProblem(process.version);
if (problem === undefined) {
  // By its name it can't be imported statically: an older Node.js doesn't have it and would stop before it is told why.
  const { enableCompileCache } = await import("node:module");
  // What is compiled once is loaded from then on: so it must be on before the rest is imported.
  enableCompileCache();
  await import("./program.ts");
} else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}
