import type { GraphProject } from "./graph-config.ts";
import { ProjectLoadError } from "./project-load-error.ts";

const reference = /\$\{\{\s*([^}]*?)\s*\}\}/g;

/**
 * The headers of a project's webhooks, with its variables in the place of references such as `${{ env.NAME }}`.
 * @throws {ProjectLoadError} for any other reference, for a name without the prefix, and for a variable that isn't set.
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
      return found;
    });
  return Object.fromEntries(Object.entries(webhooks.headers).map(([name, value]) => [name, filled(name, value)]));
}
