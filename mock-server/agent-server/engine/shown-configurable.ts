import type { Fields } from "./contract.ts";

/** Keys that hold the user, with neutral and brand names. */
const ofUser = /^(?:lang)?graph_auth_/;

/**
 * A config's `configurable` for events: without the user, who may have tokens, and without the library's internal keys.
 */
export function shownConfigurable(configurable: Fields): Fields {
  const shown = Object.entries(configurable).filter(([name]) => !name.startsWith("__") && !ofUser.test(name));
  return Object.fromEntries(shown);
}
