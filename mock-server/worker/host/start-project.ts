import { startProjectWorker } from "./project-worker.ts";
import type { RunningProject, StartProject } from "./running-project.ts";

/** Starts a thread for a project, and loads everything in it that the configuration file names. */
export const startProject: StartProject = async (project, { onLog, signal, spare }): Promise<RunningProject> => {
  const worker = await startProjectWorker(project, { onLog, signal, spare });
  try {
    if (project.auth) await worker.call("load-auth", project.auth, { signal });
    if (project.http.app) await worker.call("load-app", project.http.app, { signal });
    const files = (await worker.call("loaded-files", undefined)) as string[];
    return { project, files, graphs: worker.graphs, call: worker.call, close: worker.close };
  } catch (error) {
    await worker.close();
    throw error;
  }
};
