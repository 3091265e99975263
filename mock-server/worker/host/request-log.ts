import type { ProjectRequest } from "../../agent-server/served-project.ts";
import { type HeaderPatterns, matchingHeaders } from "../../kit/http/header-patterns.ts";
import type { HttpResponse } from "../../kit/http/http-response.ts";
import type { LogLine } from "./printed-lines.ts";

/** Headers that no log has. */
const secrets = /^(authorization|proxy-authorization|cookie|x-api-key|x-service-key)$/;

type RespondLogged = (
  request: Pick<ProjectRequest, "context" | "path">,
  respond: () => Promise<HttpResponse>,
) => Promise<HttpResponse>;

/** Writes a line for each request, with those of its headers that match; `null`: none. */
export function requestLog(patterns: HeaderPatterns | null, onLog: (line: LogLine) => void): RespondLogged {
  if (patterns === null) return (_, respond) => respond();
  return async ({ context, path }, respond) => {
    const response = await respond();
    const shown = matchingHeaders(context.headers, patterns, () => false);
    const headers = Object.entries(shown).flatMap(([name, value]) => (secrets.test(name) ? [] : `${name}: ${value}`));
    const text = [`${context.method} ${path} ${response.status}`, ...headers].join(", ");
    onLog({ stream: "stdout", level: "INFO", text });
    return response;
  };
}
