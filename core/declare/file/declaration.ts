import { camelCaseKeys, snakeCase } from "../../names.ts";
import type { DesiredDeployment } from "../deployment.ts";
import { type Problem, validateDesired } from "../validation.ts";
import { type FileNode, type Finding, findingAtKey, findingIn, type Path, partAt, plainValue } from "./file-node.ts";
import type { DeclaredAssistant, DeclaredCron, DeclaredStoreItem } from "./schema.ts";

/** A deployment of a file, with what belongs to its agent server. */
export interface DeclaredDeployment {
  /** Its key in the file; its name on the platform is `desired.name`. */
  key: string;
  desired: DesiredDeployment;
  /** `auto`: the integration is to be found from the repository's URL. */
  integration: "auto" | undefined;
  /** Keys of the deployments that must be live before. */
  dependsOn: readonly string[];
  assistants: Readonly<Record<string, DeclaredAssistant>>;
  crons: Readonly<Record<string, DeclaredCron>>;
  store: readonly DeclaredStoreItem[];
}

/** Names of the core's declaration that its messages mention. */
const mentionedPath = /\b(?:sourceConfig|sourceRevisionConfig|secretReferences)\b(?:\.[A-Za-z0-9]+)*/g;

/** A message of the core with the names that the file has. */
export function inWireNames(message: string): string {
  return message.replace(mentionedPath, (name) => name.split(".").map(snakeCase).join("."));
}

/** A path of the core's declaration, such as `sourceConfig.buildOnPush`, as the file has it. */
export function wirePath(path: string): string {
  return toWirePath(path.split(".")).join(".");
}

/** Stands for values whose mistakes are reported already: the rules take them as right. */
const doubt = Symbol("doubtful value");

/** A deployment of the file as the core's declaration, and what the core's own rules find in it beside what its schema has found. */
export function declareDeployment(
  key: string,
  node: FileNode,
  doubtful: readonly Path[],
): { desired: DesiredDeployment; findings: Finding[]; warnings: Finding[] } {
  const wire = plainValue(node) as Record<string, unknown>;
  for (const path of doubtful) setAt(wire, path, doubt);
  const { desired, problems, warnings } = validateDesired(toDeclaration(key, wire), (value) => value === doubt);
  const findings = problems.map(({ path, message }) => findingIn(node, toWirePath(path), inWireNames(message)));
  return { desired, findings, warnings: warnings.map((warning) => warningIn(node, warning)) };
}

/** A warning at the key: it is the name in a resource spec, or the value as a whole, that is doubtful. */
function warningIn(node: FileNode, { path: [field, section, ...rest], message }: Problem): Finding {
  const path = section === "resourceSpec" ? ["source_config", "resource_spec", ...rest] : undefined;
  const known = path ?? toWirePath([field, section, ...rest].filter((part) => part !== undefined));
  const part = partAt(node, known);
  return part === undefined ? findingIn(node, known, message) : findingAtKey(part, message);
}

/** Sets the value at a path, and makes the maps that lead there. Nothing is set in what isn't a map. */
function setAt(fields: Record<string, unknown>, [first, ...rest]: Path, value: unknown): void {
  const name = String(first);
  if (rest.length === 0) {
    fields[name] = value;
    return;
  }
  fields[name] ??= {};
  const below = fields[name];
  if (typeof below === "object") setAt(below as Record<string, unknown>, rest, value);
}

function toDeclaration(key: string, wire: Record<string, unknown>): Record<string, unknown> {
  const { source_config: config, source_revision_config: revision, secret_references: references } = wire;
  const declared = {
    name: wire.name ?? key,
    source: wire.source,
    sourceConfig: mapFields(config, (fields) => {
      const named = camelCaseKeys(fields);
      return {
        ...named,
        ...(named.listenerConfig ? { listenerConfig: mapFields(named.listenerConfig, camelCaseKeys) } : {}),
      };
    }),
    sourceRevisionConfig: mapFields(revision, camelCaseKeys),
    env: wire.env,
    secrets: wire.secrets,
    secretReferences: mapFields(references, (entries) =>
      Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, mapFields(entry, camelCaseKeys)])),
    ),
    displayName: wire.display_name,
  };
  return Object.fromEntries(Object.entries(declared).filter(([, value]) => value !== undefined));
}

function mapFields(value: unknown, map: (fields: Record<string, unknown>) => Record<string, unknown>): unknown {
  return typeof value === "object" && value !== null ? map(value as Record<string, unknown>) : value;
}

/** The names in an environment and in a resource spec are the user's and the platform's own. */
function toWirePath([first, ...rest]: Path): Path {
  const field = snakeCase(String(first));
  if (field === "env" || field === "secrets") return [field, ...rest];
  if (field === "secret_references") {
    const [name, ...below] = rest;
    return [field, ...(name === undefined ? [] : [name]), ...below.map((part) => snakeCase(String(part)))];
  }
  return [field, ...rest.map((part) => (typeof part === "string" ? snakeCase(part) : part))];
}
