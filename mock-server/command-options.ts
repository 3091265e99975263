import { InvalidArgumentError, Option } from "commander";
import { checkWorkerMemory } from "./worker-memory.ts";

/** What `--graphs` takes. */
export const graphsOption = "YAML or JSON file with scripted graphs, or a module that exports them";

/** Reads a port. @throws {InvalidArgumentError} for anything but 0 to 65535. */
export function readPort(value: string): number {
  const port = Number(value);
  if (!/^\d+$/.test(value) || port > 65535) throw new InvalidArgumentError("A port is a number from 0 to 65535.");
  return port;
}

/** The hosts that requests to a server on loopback may name. */
export const allowHostOption = new Option(
  "--allow-host <host>",
  "a Host header, beyond loopback's names, that a server on loopback accepts (repeatable)",
).argParser((host: string, hosts: string[] = []) => [...hosts, host]);

/** What workers of projects may take. */
export const workerMemoryOption = new Option(
  "--worker-memory <MiB>",
  "memory that each worker of a project's graphs may take, buffers included",
)
  .default(undefined, "1024")
  .argParser((value) => {
    try {
      return checkWorkerMemory(Number(value));
    } catch (error) {
      throw new InvalidArgumentError((error as Error).message);
    }
  });
