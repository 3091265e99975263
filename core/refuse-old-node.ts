// Every entry point of the package loads this first: on an older Node.js, what they load next fails with a misleading
// error.
import { nodeVersionProblem } from "./node-version.ts";

const problem = nodeVersionProblem(process.version);
if (problem !== undefined) {
  const error = new Error(problem);
  // A stack through this package's files doesn't help whoever loads it.
  error.stack = `Error: ${problem}`;
  throw error;
}
