import { defaultSettings } from "../load/default-settings.ts";
import { webhookHeaders } from "../load/webhook-headers.ts";
import { compiledGraph } from "./compiled-graph.ts";
import { namesOrigin } from "./cors.ts";
import { DeclaredTypes } from "./declared-types.ts";
import { projectAuth } from "./project-auth.ts";
import { ProjectHttp } from "./project-http.ts";
import { bundledUi } from "./project-ui.ts";
import { requestLog } from "./request-log.ts";
import type { StartProject } from "./running-project.ts";
import { Supervisor } from "./supervisor.ts";

export const startProject: StartProject = async (project, { authTimeoutMs, now, ...options } = {}) => {
  const defaults = defaultSettings(project.env);
  const { settings } = project;
  const webhooks = { ...settings.webhooks, headers: webhookHeaders(project) };
  const supervisor = await Supervisor.start(project, options);
  const types = new DeclaredTypes(project, supervisor.onLog);
  const close = async (choice?: { drain?: boolean }) => {
    if (!choice?.drain) types.close();
    await supervisor.close(choice);
  };
  const { files, app } = supervisor.loaded;
  const [http, { bundles, sources }] = await Promise.all([
    ProjectHttp.open(project.http, supervisor, app),
    bundledUi(project, supervisor),
  ]);
  for (const { problem } of bundles.values()) {
    if (problem !== null) supervisor.onLog({ stream: "stderr", level: "ERROR", text: problem });
  }
  const log = requestLog(settings.loggedHeaders, supervisor.onLog);
  return {
    project,
    files: [...files, ...sources],
    graphs: project.graphs.map((graph) => compiledGraph(graph, { supervisor, types }, defaults.get(graph.id))),
    auth: projectAuth(project, supervisor, authTimeoutMs, now),
    mountPrefix: project.http.mountPrefix,
    settings: { ...settings, webhooks },
    ui: bundles,
    allowsOrigin: (origin) => namesOrigin(project.http.cors, origin),
    connect: (fetchServer) => supervisor.connect(fetchServer),
    roleOfApp: (method, url) => http.roleOfApp(method, url),
    replaces: (method, path) => http.replaces(method, path),
    respond: (request) => log(request, () => http.respond(request)),
    close,
    [Symbol.asyncDispose]: close,
  };
};
