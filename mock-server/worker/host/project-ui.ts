import type { UiBundle } from "../../agent-server/served-project.ts";
import type { GraphProject } from "../load/graph-config.ts";
import type { Supervisor } from "./supervisor.ts";

/** The bundles of a project's components by name, and the absolute paths of the files in them. */
export interface ProjectBundles {
  bundles: ReadonlyMap<string, UiBundle>;
  sources: readonly string[];
}

/** Bundles the components of a project in its worker. Never rejects: a bundle says itself what went wrong. */
export async function bundledUi(
  { folder, ui }: Pick<GraphProject, "folder" | "ui">,
  supervisor: Pick<Supervisor, "call">,
): Promise<ProjectBundles> {
  const names = Object.keys(ui.files);
  if (names.length === 0) return { bundles: new Map(), sources: [] };
  const { bundles, sources } = await supervisor.call("bundleUi", { folder, ui }).catch((error: Error) => {
    const failed: UiBundle = { files: [], problem: error.message };
    return { bundles: Object.fromEntries(names.map((name) => [name, failed])), sources: [] };
  });
  // A file whose bundle failed is watched as well.
  return { bundles: new Map(Object.entries(bundles)), sources: [...new Set([...sources, ...Object.values(ui.files)])] };
}
