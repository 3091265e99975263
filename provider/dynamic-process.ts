import { realpathSync } from "node:fs";
import { createRequire } from "node:module";

/**
 * `require` as the program of this process has it, when that is Pulumi's dynamic provider: its copy of the SDK is the one that talks to the engine,
 * whichever copy this package would find. `undefined` in any other process.
 */
export function requireOfDynamicProvider(): NodeJS.Require | undefined {
  const program = process.argv[1];
  if (program === undefined || !/[\\/]cmd[\\/]dynamic-provider([\\/]|$)/.test(program)) return undefined;
  return createRequire(realpathSync(program));
}
