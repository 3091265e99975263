import type { z } from "zod";
import type { KnownDeploymentType, KnownSource, Open } from "../client/wire/deployments.ts";

/**
 * What a user declares about a deployment, in camelCase and with the environment as maps. `undefined` means "not
 * declared": the platform's value stays as it is. The fields correspond to the API's `source_config`,
 * `source_revision_config` and `secrets`.
 */
export interface DesiredDeployment {
  /** Unique in the workspace; can't change. */
  name: string;
  /** `github`, `external_docker` (self-hosted only), `internal_docker`, `internal_source`; can't change. */
  source: Open<KnownSource>;
  sourceConfig?: DesiredSourceConfig | undefined;
  sourceRevisionConfig?: DesiredSourceRevisionConfig | undefined;
  /** Plain environment variables by name. Sent in the same list as `secrets`. */
  env?: Readonly<Record<string, string>> | undefined;
  /** Secret environment variables by name. */
  secrets?: Readonly<Record<string, string>> | undefined;
  /** Environment variables filled from Kubernetes Secrets, by name of the variable (`external_docker` only). */
  secretReferences?: Readonly<Record<string, { secretName: string; secretKey: string }>> | undefined;
  /** Shown instead of the name; can't be cleared. */
  displayName?: string | undefined;
}

export interface DesiredSourceConfig {
  integrationId?: string | undefined;
  repoUrl?: string | undefined;
  deploymentType?: Open<KnownDeploymentType> | undefined;
  buildOnPush?: boolean | undefined;
  customUrl?: string | undefined;
  /**
   * The platform's fields in camelCase, for example `minScale`, `memoryMb`. Undeclared ones keep the platform's values.
   */
  resourceSpec?: Readonly<Record<string, unknown>> | undefined;
  listenerId?: string | undefined;
  listenerConfig?: { k8sNamespace?: string | undefined } | undefined;
  installCommand?: string | undefined;
  buildCommand?: string | undefined;
}

export interface DesiredSourceRevisionConfig {
  /** A branch by its short name, a tag as `refs/tags/<tag>`. */
  repoRef?: string | undefined;
  graphConfigPath?: string | undefined;
  imageUri?: string | undefined;
  sourceTarballPath?: string | undefined;
}

/** One mistake in a declaration. `path` leads to the field, for example `["sourceConfig", "buildOnPush"]`. */
export interface Problem {
  path: readonly (string | number)[];
  message: string;
}

/**
 * Converts a schema's issue. One about several unknown fields becomes several problems, each with what `adviceOn` it
 * says.
 */
export function toProblems(issue: z.core.$ZodIssue, adviceOn: (path: Problem["path"]) => string): Problem[] {
  const path = issue.path.map((part) => (typeof part === "number" ? part : String(part)));
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      path: [...path, key],
      message: `is not a field here. ${adviceOn([...path, key])}`,
    }));
  }
  const missing = issue.code === "invalid_type" && issue.input === undefined;
  return [{ path, message: missing ? "is required." : asSentenceEnd(issue.message) }];
}

/** The problem of a null in a declaration, which is ambiguous: it could mean "not declared" or "clear it". */
export function nullProblem(path: Problem["path"]): Problem {
  const isVariable = path.length === 2 && (path[0] === "env" || path[0] === "secrets");
  return { path, message: `is ${isVariable ? "null or undefined" : "null"}. Leave it out, or give it a value.` };
}

/** `message` as the end of a sentence that begins with the field's name. */
export function asSentenceEnd(message: string): string {
  return `${message.charAt(0).toLowerCase()}${message.slice(1).replace(/\.$/, "")}.`;
}

type Path = readonly (string | number)[];

/** The known part of a value, and the paths of the rest. */
export interface KnownValue {
  value: unknown;
  /** Paths of values that aren't known yet. A list that contains one is unknown as a whole. */
  unknownPaths: Path[];
  /** Paths of nulls, which are neither declared nor left out. */
  nullPaths: Path[];
}

/** Separates unknown values and nulls from `value`. */
export function knownValue(value: unknown, isUnknown: (value: unknown) => boolean, path: Path = []): KnownValue {
  if (isUnknown(value)) return { value: undefined, unknownPaths: [path], nullPaths: [] };
  if (value === null) return { value: undefined, unknownPaths: [], nullPaths: [path] };
  if (typeof value !== "object") return { value, unknownPaths: [], nullPaths: [] };
  const fields = Object.entries(value).map(([name, field]) => {
    const part = Array.isArray(value) ? Number(name) : name;
    return [part, knownValue(field, isUnknown, [...path, part])] as const;
  });
  const nullPaths = fields.flatMap(([, field]) => field.nullPaths);
  const unknownPaths = fields.flatMap(([, field]) => field.unknownPaths);
  if (Array.isArray(value)) {
    return unknownPaths.length > 0
      ? { value: undefined, unknownPaths: [path], nullPaths }
      : { value, unknownPaths, nullPaths };
  }
  const known = fields.filter(([, field]) => field.value !== undefined).map(([name, field]) => [name, field.value]);
  return { value: Object.fromEntries(known), unknownPaths, nullPaths };
}

/** Whether `inner` begins with `outer`, or `outer` with `inner`. */
export function isWithin(outer: Path, inner: Path): boolean {
  return outer.slice(0, inner.length).every((part, index) => String(part) === String(inner[index]));
}
