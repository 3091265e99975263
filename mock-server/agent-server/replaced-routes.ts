import { agentServerRoutes } from "./agent-app.ts";
import type { ServedProject } from "./served-project.ts";

/** Routes that aren't operations. */
const pages = [
  { method: "GET", path: "/docs" },
  { method: "GET", path: "/openapi.json" },
];
/** The number of routes that a sentence names. */
const maxNamed = 5;

/** A sentence about the routes of the agent server that those of a project's app replace; none if there are none. */
export function replacedRoutes(project: Pick<ServedProject, "replaces">): string[] {
  const routes = agentServerRoutes.map(({ method, path }) => ({ method: method.toUpperCase(), path }));
  const replaced = [...routes, ...pages].filter(({ method, path }) => project.replaces(method, examplePath(path)));
  if (replaced.length === 0) return [];
  const named = replaced.slice(0, maxNamed).map(({ method, path }) => `${method} ${path}`);
  const rest = replaced.length - named.length;
  const others = rest === 0 ? "" : ` and ${rest} more`;
  return [`http.app: its routes replace these of the agent server: ${named.join(", ")}${others}.`];
}

/** A path that a template matches. */
function examplePath(template: string): string {
  return template.replace(/\{\w+\}/g, "00000000-0000-4000-8000-000000000000");
}
