import { realpathSync } from "node:fs";
import { createRequire } from "node:module";

/**
 * The `require` of Pulumi's dynamic provider, if this is its process. It resolves the copy of the SDK that talks to the
 * engine, whichever copy this package would find. `undefined` in any other process.
 */
export function requireOfDynamicProvider(): NodeJS.Require | undefined {
  const program = process.argv[1];
  if (program === undefined || !/[\\/]cmd[\\/]dynamic-provider([\\/]|$)/.test(program)) return undefined;
  return createRequire(realpathSync(program));
}
