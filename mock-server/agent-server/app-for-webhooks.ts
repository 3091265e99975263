import { requestWithoutSocket } from "../kit/http/inject.ts";
import { behindPrefix } from "./mount-prefix.ts";
import { isForOperators } from "./operator-paths.ts";
import type { AppForWebhooks } from "./project-settings.ts";
import type { ProjectCall, ServedProject } from "./served-project.ts";

/** Milliseconds that the app may take for the response to a webhook, as hosts elsewhere. */
const timeoutMs = 10_000;

/**
 * The app of a project as a receiver of webhooks. They reach its own routes only: a webhook acts for no user, so it can't
 * do on the server what its run's user may not.
 */
export function appForWebhooks(
  project: Pick<ServedProject, "mountPrefix" | "roleOfApp">,
  fetchServer: (call: ProjectCall) => Promise<Response>,
): AppForWebhooks {
  return {
    takes(path) {
      const { rawPath } = requestWithoutSocket("POST", path, {}, "");
      const inner = behindPrefix(rawPath, project.mountPrefix) ?? rawPath;
      // A path such as //host/x would be another URL for the app than for the server.
      if (isForOperators(inner) || URL.parse(inner, "http://localhost")?.host !== "localhost") return false;
      return project.roleOfApp("POST", inner) === "route";
    },
    async send(path, headers, body) {
      const call: ProjectCall = {
        method: "POST",
        url: path,
        headers: Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
        body: Buffer.from(body),
        signal: AbortSignal.timeout(timeoutMs),
      };
      try {
        const response = await fetchServer(call);
        await response.body?.cancel();
        return response.status;
      } catch {
        return undefined;
      }
    },
  };
}
