import { defaultSettings } from "../load/default-settings.ts";
import { compiledGraph } from "./compiled-graph.ts";
import { namesOrigin } from "./cors.ts";
import { DeclaredTypes } from "./declared-types.ts";
import { projectAuth } from "./project-auth.ts";
import { respondByProject } from "./project-http.ts";
import type { StartProject } from "./running-project.ts";
import { Supervisor } from "./supervisor.ts";

export const startProject: StartProject = async (project, { authTimeoutMs, ...options } = {}) => {
  const defaults = defaultSettings(project.env);
  const supervisor = await Supervisor.start(project, options);
  const types = new DeclaredTypes(project, supervisor.onLog);
  const close = async (choice?: { drain?: boolean }) => {
    if (!choice?.drain) types.close();
    await supervisor.close(choice);
  };
  return {
    project,
    files: supervisor.files,
    graphs: project.graphs.map((graph) => compiledGraph(graph, { supervisor, types }, defaults.get(graph.id))),
    auth: projectAuth(project, supervisor, authTimeoutMs),
    mountPrefix: project.http.mountPrefix,
    allowsOrigin: (origin) => namesOrigin(project.http.cors, origin),
    connect: (fetchServer) => supervisor.connect(fetchServer),
    respond: (request) => respondByProject(project.http, supervisor, request),
    close,
    [Symbol.asyncDispose]: close,
  };
};
