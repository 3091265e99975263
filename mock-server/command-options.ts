import { isIP } from "node:net";
import { InvalidArgumentError, Option } from "commander";
import { checkWorkerMemory } from "./worker-memory.ts";

/** The description of `--graphs`. */
export const graphsOption = "YAML or JSON file with scripted graphs, or a module that exports them";

/** Reads a port. @throws {InvalidArgumentError} for anything but 0 to 65535. */
export function readPort(value: string): number {
  const port = Number(value);
  if (!/^\d+$/.test(value) || port > 65535) throw new InvalidArgumentError("A port is a number from 0 to 65535.");
  return port;
}

/** Reads an address to listen on. @throws {InvalidArgumentError} for what is neither a name nor an address. */
export function readHost(value: string): string {
  if (isIP(value) === 0 && !/^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/i.test(value)) {
    throw new InvalidArgumentError("A host is a name or an address without a port, such as 127.0.0.1 or ::1.");
  }
  return value;
}

/** The hosts that requests to a server on loopback may name. */
export const allowHostOption = new Option(
  "--allow-host <host>",
  "a Host header, beyond loopback's names, that a server on loopback accepts (repeatable)",
).argParser((host: string, hosts: string[] = []) => [...hosts, host]);

export const workerMemoryOption = new Option(
  "--worker-memory <MiB>",
  "memory limit of each worker of a project's graphs, buffers included",
)
  .default(undefined, "1024")
  .argParser((value) => {
    try {
      return checkWorkerMemory(Number(value));
    } catch (error) {
      throw new InvalidArgumentError((error as Error).message);
    }
  });
