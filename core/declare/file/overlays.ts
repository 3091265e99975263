import { toNeutralNames } from "../../client/wire/conventions.ts";
import { entriesOf, type FileNode, type Finding, findingAtKey, type MapNode, partAt } from "./file-node.ts";
import { suggestion } from "./schema-findings.ts";

/** The file's deployments by key, each with defaults and the chosen overlay merged, and what is wrong with the choice. */
export function mergeLayers(
  root: FileNode,
  environment: string | undefined,
): { deployments: ReadonlyMap<string, FileNode>; findings: readonly Finding[] } {
  const findings: Finding[] = [];
  const environments = entriesOf(partAt(root, ["environments"]));
  const overlay = environment === undefined ? undefined : environments.get(environment);
  if (environment !== undefined && overlay === undefined) {
    const names = [...environments.keys()];
    const message =
      names.length === 0
        ? `has no ${environment}: this file has no environments.`
        : `has no ${environment}.${suggestion(environment, names)}`;
    const node = partAt(root, ["environments"]) ?? root;
    findings.push({ ...findingAtKey(node, message), path: ["environments"] });
  }
  const declared = entriesOf(partAt(root, ["deployments"]));
  const overlaid = entriesOf(partAt(overlay, ["deployments"]));
  const deployments = new Map<string, FileNode>();
  for (const key of new Set([...declared.keys(), ...overlaid.keys()])) {
    const over = overlaid.get(key);
    if (isNull(over)) continue;
    const layers = [
      { node: partAt(root, ["defaults"]), removes: false },
      { node: partAt(overlay, ["defaults"]), removes: true },
      { node: declared.get(key), removes: false },
      { node: over, removes: true },
    ];
    let merged: FileNode | undefined;
    for (const { node, removes } of layers) {
      if (node !== undefined) merged = merge(merged, underNeutralNames(node, findings), removes);
    }
    if (merged !== undefined) deployments.set(key, merged);
  }
  return { deployments, findings };
}

/** `over` on top of `base`, map by map; lists and scalars are replaced whole. */
function merge(base: FileNode | undefined, over: FileNode, removes: boolean): FileNode {
  if (over.kind !== "map") return over;
  const entries = new Map(entriesOf(base));
  for (const [key, entry] of over.entries) {
    if (removes && isNull(entry)) entries.delete(key);
    else entries.set(key, merge(entries.get(key), entry, removes));
  }
  return { ...over, entries };
}

function isNull(node: FileNode | undefined): boolean {
  return node?.kind === "scalar" && node.value === null;
}

/** A field may have its neutral or its brand name in each layer: merged, it must have one. */
function underNeutralNames(layer: FileNode, findings: Finding[]): FileNode {
  const config = partAt(layer, ["source_revision_config"]);
  if (layer.kind !== "map" || config?.kind !== "map") return layer;
  const entries = new Map<string, FileNode>();
  for (const [name, node] of config.entries) {
    const [neutral = name] = Object.keys(toNeutralNames({ [name]: node }));
    if (entries.has(neutral))
      findings.push(findingAtKey(node, `means the same as ${otherName(entries, neutral)}. Keep one of the two.`));
    entries.set(neutral, node);
  }
  const neutralConfig: MapNode = { ...config, entries };
  return { ...layer, entries: new Map([...layer.entries, ["source_revision_config", neutralConfig]]) };
}

function otherName(entries: ReadonlyMap<string, FileNode>, neutral: string): string {
  return String(entries.get(neutral)?.path.at(-1) ?? neutral);
}
