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
import { suggestion } from "./schema-findings.ts";

type Deployments = ReadonlyMap<string, FileNode>;

/** Names in the file that lead nowhere, lead in a circle, or stand for two things. */
export function* referenceFindings(deployments: Deployments): Generator<Finding> {
  yield* dependencyFindings(deployments);
  yield* nameFindings(deployments);
  yield* integrationFindings(deployments);
}

function* dependencyFindings(deployments: Deployments): Generator<Finding> {
  const known = [...deployments.keys()];
  for (const node of deployments.values()) {
    for (const item of itemsOf(partAt(node, ["depends_on"]))) {
      const name = String(plainValue(item));
      if (!deployments.has(name)) yield findingAt(item, `is not a deployment of this file.${suggestion(name, known)}`);
    }
  }
  const circle = findCircle(deployments);
  if (circle === undefined) return;
  const node = partAt(deployments.get(String(circle[0])), ["depends_on"]);
  if (node !== undefined) yield findingAt(node, `goes in a circle: ${circle.join(" → ")}.`);
}

/** The keys of deployments that wait for each other, the first again at the end. */
function findCircle(deployments: Deployments): string[] | undefined {
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (key: string): string[] | undefined => {
    if (path.includes(key)) return [...path.slice(path.indexOf(key)), key];
    if (done.has(key)) return undefined;
    path.push(key);
    for (const item of itemsOf(partAt(deployments.get(key), ["depends_on"]))) {
      const circle = visit(String(plainValue(item)));
      if (circle !== undefined) return circle;
    }
    path.pop();
    done.add(key);
    return undefined;
  };
  for (const key of deployments.keys()) {
    const circle = visit(key);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

function* nameFindings(deployments: Deployments): Generator<Finding> {
  const keys = new Map<string, string>();
  for (const [key, node] of deployments) {
    const nameNode = partAt(node, ["name"]);
    const name = nameNode === undefined ? key : String(plainValue(nameNode));
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
      yield findingAtKey(integration, "is declared beside source_config.integration_id. Keep one of the two.");
    } else if (partAt(node, ["source_config", "repo_url"]) === undefined) {
      yield findingAtKey(integration, "needs source_config.repo_url, the repository to find the integration of.");
    }
  }
}

/** The same for `previews`, whose overlay is one of `root`. */
export function* previewFindings(
  previews: FileNode | undefined,
  deployments: Deployments,
  root: FileNode,
): Generator<Finding> {
  if (previews === undefined) return;
  const name = partAt(previews, ["name"]);
  if (name !== undefined && !String(plainValue(name)).includes("{number}")) {
    yield findingAt(name, "must have {number} in it: each pull request has previews of its own.");
  }
  const environment = partAt(previews, ["environment"]);
  const environments = entriesOf(partAt(root, ["environments"]));
  if (environment !== undefined && !environments.has(String(plainValue(environment)))) {
    const names = [...environments.keys()];
    yield findingAt(
      environment,
      `is not an environment of this file.${suggestion(String(plainValue(environment)), names)}`,
    );
  }
  const known = [...deployments.keys()];
  const listed = partAt(previews, ["deployments"]);
  for (const item of itemsOf(listed)) {
    const key = String(plainValue(item));
    if (!deployments.has(key)) yield findingAt(item, `is not a deployment of this file.${suggestion(key, known)}`);
  }
  if (
    name !== undefined &&
    !String(plainValue(name)).includes("{name}") &&
    (listed === undefined ? known.length : itemsOf(listed).length) > 1
  ) {
    yield findingIn(previews, ["name"], "must have {name} in it, since several deployments have previews.");
  }
}

function itemsOf(node: FileNode | undefined): readonly FileNode[] {
  return node?.kind === "list" ? node.items : [];
}
