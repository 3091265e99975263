// Loaded by each entry point of the package before all else: on an older Node.js, what they load next fails with an error about something else.
import { nodeVersionProblem } from "./node-version.ts";

const problem = nodeVersionProblem(process.version);
if (problem !== undefined) {
  const error = new Error(problem);
  // The way through this package's files says nothing about the program that loads it.
  error.stack = `Error: ${problem}`;
  throw error;
}
