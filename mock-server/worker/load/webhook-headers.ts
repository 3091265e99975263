import type { GraphProject } from "./graph-config.ts";
import { ProjectLoadError } from "./project-load-error.ts";

const reference = /\$\{\{\s*([^}]*?)\s*\}\}/g;

/**
 * The headers of a project's webhooks, with its variables in the place of references such as `${{ env.NAME }}`.
 * @throws {ProjectLoadError} for any other reference, for a name without the prefix, for a variable that isn't set, and
 * for a value that no header can have, which the message doesn't show.
 */
export function webhookHeaders({
  settings: { webhooks },
  webhookEnvPrefix: prefix,
  env,
}: Pick<GraphProject, "settings" | "webhookEnvPrefix" | "env">): Record<string, string> {
  const filled = (header: string, value: string) =>
    value.replace(reference, (whole, expression: string) => {
      const name = /^env\.(\w+)$/.exec(expression)?.[1];
      const fail = (reason: string) => new ProjectLoadError(`webhooks.headers.${header}: ${whole} ${reason}.`);
      if (name === undefined) throw fail(`isn't a reference to a variable, such as \${{ env.${prefix}TOKEN }}`);
      if (!name.startsWith(prefix)) throw fail(`names a variable that doesn't begin with ${prefix}`);
      const found = env[name];
      if (found === undefined) throw fail("names a variable that isn't set");
      // Secrets that come from files end with a line break.
      return found.trim();
    });
  const checked = (header: string, value: string) => {
    if (/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return value;
    throw new ProjectLoadError(`webhooks.headers.${header}: its value has characters that no header can have.`);
  };
  return Object.fromEntries(
    Object.entries(webhooks.headers).map(([name, value]) => [name, checked(name, filled(name, value))]),
  );
}
