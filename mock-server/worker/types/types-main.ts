import { enableCompileCache } from "node:module";
import { parentPort, workerData } from "node:worker_threads";
import type { TypedProject } from "./found-types.ts";
import { readTypes } from "./read-types.ts";

/** The entry module of workers that read the types of one project. */

if (!parentPort) throw new Error("This module is the entry of a worker.");
// Loading the compiler takes a part of the time.
enableCompileCache();
parentPort.postMessage(readTypes(workerData as TypedProject));
