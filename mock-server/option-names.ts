import { didYouMean } from "./kit/unknown-names.ts";
import type { MockServerOptions } from "./mock-server.ts";

/** The options of `startMockServer`; the compiler reports missing ones. */
const optionNames: Record<keyof MockServerOptions, true> = {
  port: true,
  host: true,
  allowedHosts: true,
  certificate: true,
  apiKeys: true,
  transitions: true,
  publicUrl: true,
  strict: true,
  integrations: true,
  allowOutbound: true,
  seed: true,
  logFormat: true,
  onWarning: true,
  dataDirectory: true,
  clock: true,
  adminToken: true,
  repositories: true,
  runUploads: true,
  workerMemoryMb: true,
  graphs: true,
};

/** @throws {RangeError} for an unknown option, which types alone can't prevent. */
export function checkOptionNames(options: object): void {
  const known = Object.keys(optionNames);
  for (const name of Object.keys(options)) {
    if (!known.includes(name))
      throw new RangeError(`startMockServer has no option "${name}"${didYouMean(name, known)}`);
  }
}
