import { enableCompileCache } from "node:module";
import { parentPort, workerData } from "node:worker_threads";
import type { TypedProject } from "./found-types.ts";
import { readTypes } from "./read-types.ts";

/** The entry module of workers that read the types of one project. */

if (!parentPort) throw new Error("This module is the entry of a worker.");
// Loading the compiler takes a part of the time.
enableCompileCache();
// Nobody reads what the compiler prints, and unread it would fill the memory of the server.
process.stdout.write = () => true;
process.stderr.write = () => true;
parentPort.postMessage(readTypes(workerData as TypedProject));
