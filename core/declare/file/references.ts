import {
  entriesOf,
  type FileNode,
  type Finding,
  findingAt,
  findingAtKey,
  findingIn,
  partAt,
  plainValue,
} from "./file-node.ts";
import { mergeLayers } from "./overlays.ts";
import { suggestion } from "./schema-findings.ts";

type Deployments = ReadonlyMap<string, FileNode>;

/** Names in the file that lead nowhere, form a cycle, or stand for two things. */
export function* referenceFindings(deployments: Deployments): Generator<Finding> {
  yield* dependencyFindings(deployments);
  yield* nameFindings(deployments);
  yield* integrationFindings(deployments);
  for (const node of deployments.values()) {
    yield* assistantFindings(node);
    yield* itemFindings(node);
  }
}

function* dependencyFindings(deployments: Deployments): Generator<Finding> {
  const known = [...deployments.keys()];
  for (const node of deployments.values()) {
    for (const item of itemsOf(partAt(node, ["depends_on"]))) {
      const name = String(plainValue(item));
      if (!deployments.has(name)) yield findingAt(item, `is not a deployment of this file.${suggestion(name, known)}`);
    }
  }
  const cycle = findCycle(deployments);
  if (cycle === undefined) return;
  const node = partAt(deployments.get(String(cycle[0])), ["depends_on"]);
  if (node !== undefined) yield findingAt(node, `is a cycle: ${cycle.join(" → ")}.`);
}

/** The keys of deployments that wait for each other, the first again at the end. */
function findCycle(deployments: Deployments): string[] | undefined {
  const waiting = new Map<string, Set<string>>();
  const dependents = new Map<string, string[]>();
  for (const [key, node] of deployments) {
    const names = itemsOf(partAt(node, ["depends_on"])).map((item) => String(plainValue(item)));
    waiting.set(key, new Set(names.filter((name) => deployments.has(name))));
    for (const name of waiting.get(key) ?? []) dependents.set(name, [...(dependents.get(name) ?? []), key]);
  }
  // What waits for nothing is taken away, until nothing is left or what waits in a cycle.
  const free = [...waiting].filter(([, names]) => names.size === 0).map(([key]) => key);
  for (let key = free.pop(); key !== undefined; key = free.pop()) {
    waiting.delete(key);
    for (const dependent of dependents.get(key) ?? []) {
      const names = waiting.get(dependent);
      names?.delete(key);
      if (names?.size === 0) free.push(dependent);
    }
  }
  const way = new Set<string>();
  let [key] = waiting.keys();
  while (key !== undefined && !way.has(key)) {
    way.add(key);
    [key] = waiting.get(key) ?? [];
  }
  if (key === undefined) return undefined;
  const keys = [...way];
  return [...keys.slice(keys.indexOf(key)), key];
}

function* nameFindings(deployments: Deployments): Generator<Finding> {
  const keys = new Map<string, string>();
  for (const [key, node] of deployments) {
    const nameNode = partAt(node, ["name"]);
    const name = nameNode === undefined ? key : String(plainValue(nameNode));
    if (/#g-[0-9a-f]{12}$/.test(name))
      yield findingAt(nameNode ?? node, "ends like an ownership marker. Choose another name.");
    const first = keys.get(name);
    if (first === undefined) keys.set(name, key);
    else yield findingAt(nameNode ?? node, `has the name of the deployment ${first}. Names are unique in a workspace.`);
  }
}

function* integrationFindings(deployments: Deployments): Generator<Finding> {
  for (const node of deployments.values()) {
    const integration = partAt(node, ["integration"]);
    if (integration === undefined) continue;
    const id = partAt(node, ["source_config", "integration_id"]);
    if (id !== undefined) {
      yield findingAtKey(integration, "is declared together with source_config.integration_id. Keep one of the two.");
    } else if (partAt(node, ["source_config", "repo_url"]) === undefined) {
      yield findingAtKey(integration, "needs source_config.repo_url, the repository to find the integration of.");
    }
  }
}

function* assistantFindings(deployment: FileNode): Generator<Finding> {
  const keys = new Map<string, string>();
  for (const [key, assistant] of entriesOf(partAt(deployment, ["assistants"]))) {
    const id = textAt(assistant, "assistant_id")?.toLowerCase();
    const first = id === undefined ? undefined : keys.get(id);
    if (first !== undefined) yield findingIn(assistant, ["assistant_id"], `is that of the assistant ${first}, too.`);
    else if (id !== undefined) keys.set(id, key);
    const context = partAt(assistant, ["context"]);
    if (context !== undefined && partAt(assistant, ["config", "configurable"]) !== undefined) {
      yield findingAtKey(context, "is declared together with config.configurable. Keep one of the two.");
    }
  }
}

function* itemFindings(deployment: FileNode): Generator<Finding> {
  const names = new Set<string>();
  for (const item of itemsOf(partAt(deployment, ["store"]))) {
    const namespace = itemsOf(partAt(item, ["namespace"]));
    for (const label of namespace) {
      if (String(plainValue(label)).includes(".")) yield findingAt(label, "must not have periods.");
    }
    const name = JSON.stringify([...namespace, partAt(item, ["key"])].map((part) => part && plainValue(part)));
    if (names.has(name)) yield findingAt(item, "has the namespace and key of an item above.");
    names.add(name);
  }
}

/** Environments whose deployments would have the owner of a pull request's previews. */
export function* environmentFindings(root: FileNode): Generator<Finding> {
  for (const [name, node] of entriesOf(partAt(root, ["environments"]))) {
    if (/^pr-\d+$/.test(name))
      yield findingAtKey(node, "is the name of a pull request's previews. Choose another one.");
  }
}

/** The same for `previews`, whose deployments are those of its own environment. */
export function* previewFindings(previews: FileNode | undefined, root: FileNode): Generator<Finding> {
  if (previews === undefined) return;
  const name = textAt(previews, "name");
  if (name !== undefined && !name.includes("{number}")) {
    yield findingIn(previews, ["name"], "must have {number} in it: each pull request has previews of its own.");
  }
  const environment = textAt(previews, "environment");
  const environments = entriesOf(partAt(root, ["environments"]));
  if (environment !== undefined && !environments.has(environment)) {
    const hint = suggestion(environment, [...environments.keys()]);
    yield findingIn(previews, ["environment"], `is not an environment of this file.${hint}`);
  }
  const { deployments } = mergeLayers(root, environment);
  const known = [...deployments.keys()];
  const listed = partAt(previews, ["deployments"]);
  for (const item of itemsOf(listed)) {
    const key = String(plainValue(item));
    if (!deployments.has(key)) yield findingAt(item, `is not a deployment of this file.${suggestion(key, known)}`);
  }
  const count = listed === undefined ? known.length : itemsOf(listed).length;
  if (name !== undefined && !name.includes("{name}") && count > 1) {
    yield findingIn(previews, ["name"], "must have {name} in it, since several deployments have previews.");
  }
}

function textAt(node: FileNode, key: string): string | undefined {
  const part = partAt(node, [key]);
  return part?.kind === "scalar" && typeof part.value === "string" ? part.value : undefined;
}

function itemsOf(node: FileNode | undefined): readonly FileNode[] {
  return node?.kind === "list" ? node.items : [];
}
