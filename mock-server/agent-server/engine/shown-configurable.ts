import type { Fields } from "./contract.ts";

/** What is told of the user, by both names. */
const ofUser = /^(?:lang)?graph_auth_/;

/** What events show of a config's `configurable`: nothing of the user, who may have tokens, and nothing that a library keeps in it for itself. */
export function shownConfigurable(configurable: Fields): Fields {
  const shown = Object.entries(configurable).filter(([name]) => !name.startsWith("__") && !ofUser.test(name));
  return Object.fromEntries(shown);
}
