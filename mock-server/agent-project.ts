import type { AgentProject } from "./agent-server/agent-project.ts";
import { projectAuth } from "./worker/host/project-auth.ts";
import { respondByProject } from "./worker/host/project-http.ts";
import type { RunningProject } from "./worker/host/running-project.ts";

/** A running project, as agent servers see it. `authTimeoutMs` is how long an auth handler may take, in milliseconds (15000). */
export function agentProject(running: RunningProject, authTimeoutMs?: number): AgentProject {
  return {
    graphs: running.graphs,
    auth: projectAuth(running, authTimeoutMs),
    respond: (request) => respondByProject({ ...request, running }),
  };
}
