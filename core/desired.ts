import { z } from "zod";
import { isReservedName } from "./reserved-names.ts";
import { deploymentTypeSchema, resourceSpecSchema, sourceSchema } from "./wire/source-config.ts";

/**
 * What a user may declare of a deployment, in the spelling of this package (camelCase; environment as maps). `undefined` means "not
 * declared": the platform's value is left alone. Field by field it is the wire's `source_config`, `source_revision_config` and `secrets`.
 */
export interface DesiredDeployment {
  /** Unique in the workspace; can't change. */
  name: string;
  /** `github`, `external_docker` (self-hosted only), `internal_docker`, `internal_source`; can't change. */
  source: string;
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
  deploymentType?: string | undefined;
  buildOnPush?: boolean | undefined;
  customUrl?: string | undefined;
  /** Replaced whole. The platform's names in camelCase, for example `minScale`, `memoryMb`; other fields pass through. */
  resourceSpec?: Readonly<Record<string, unknown>> | undefined;
  listenerId?: string | undefined;
  listenerConfig?: { k8sNamespace?: string | undefined } | undefined;
  installCommand?: string | undefined;
  buildCommand?: string | undefined;
}

export interface DesiredSourceRevisionConfig {
  /** A branch by its bare name, a tag as `refs/tags/<tag>`. */
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

const text = z.string("must be a string");
const filledText = text.min(1, "must not be empty");
const environmentSchema = z.record(z.string(), text, "must be a map of names to strings");

const sourceConfigSchema = z.strictObject({
  integrationId: filledText.optional(),
  repoUrl: filledText.optional(),
  deploymentType: (deploymentTypeSchema as z.ZodType<string>).optional(),
  buildOnPush: z.boolean("must be true or false").optional(),
  customUrl: filledText.optional(),
  resourceSpec: z.record(z.string(), z.unknown()).optional(),
  listenerId: filledText.optional(),
  listenerConfig: z.strictObject({ k8sNamespace: filledText.optional() }).optional(),
  installCommand: filledText.optional(),
  buildCommand: filledText.optional(),
});

const sourceRevisionConfigSchema = z.strictObject({
  repoRef: filledText.optional(),
  graphConfigPath: filledText.optional(),
  imageUri: filledText.optional(),
  sourceTarballPath: filledText.optional(),
});

const desiredSchema = z.strictObject({
  name: filledText,
  source: sourceSchema as z.ZodType<string>,
  sourceConfig: sourceConfigSchema.optional(),
  sourceRevisionConfig: sourceRevisionConfigSchema.optional(),
  env: environmentSchema.optional(),
  secrets: environmentSchema.optional(),
  secretReferences: z.record(z.string(), z.strictObject({ secretName: filledText, secretKey: filledText })).optional(),
  displayName: filledText.optional(),
});

/** What can be declared; anything else in its place is a typo. */
export const desiredFields: readonly string[] = Object.keys(desiredSchema.shape);

/** Whether a ref names a tag, which never moves and can't be built on push. */
export function isTagRef(ref: string): boolean {
  return ref.startsWith("refs/tags/");
}

/**
 * Validates a declaration once, at the door; behind it nothing checks again.
 *
 * `isUnknown` tells a value that the door doesn't know yet (a Pulumi output in preview): it is taken as right.
 */
export function validateDesired(
  declared: unknown,
  isUnknown: (value: unknown) => boolean = () => false,
): { desired: DesiredDeployment; problems: readonly Problem[] } {
  const known = withoutUnknowns(declared, isUnknown);
  const parsed = desiredSchema.safeParse(known.value);
  const shapeProblems = parsed.success ? [] : parsed.error.issues.flatMap(toProblems);
  const problems = shapeProblems.filter((problem) => !known.unknownPaths.some((path) => isWithin(path, problem.path)));
  const desired = known.value as DesiredDeployment;
  return {
    desired,
    problems: problems.length > 0 ? problems : [...ruleProblems(desired, known.unknownPaths)],
  };
}

function* ruleProblems(desired: DesiredDeployment, unknownPaths: readonly (readonly string[])[]): Generator<Problem> {
  const config = desired.sourceConfig ?? {};
  const revision = desired.sourceRevisionConfig ?? {};
  const isDeclared = (path: readonly string[], value: unknown) =>
    value !== undefined || unknownPaths.some((unknown) => isWithin(unknown, path));
  const hasImage = isDeclared(["sourceRevisionConfig", "imageUri"], revision.imageUri);
  const hasRepository = isDeclared(["sourceConfig", "repoUrl"], config.repoUrl);

  if (hasImage && hasRepository) {
    yield {
      path: ["sourceRevisionConfig", "imageUri"],
      message:
        "is declared beside sourceConfig.repoUrl: a deployment comes from an image or from a repository. Remove one.",
    };
  } else if (desired.source === "github") {
    if (!hasRepository) yield { path: ["sourceConfig", "repoUrl"], message: "is required for the source github." };
    if (!isDeclared(["sourceRevisionConfig", "graphConfigPath"], revision.graphConfigPath)) {
      yield {
        path: ["sourceRevisionConfig", "graphConfigPath"],
        message: "is required for the source github: the path of the graph configuration file in the repository.",
      };
    }
    if (hasImage) {
      yield {
        path: ["sourceRevisionConfig", "imageUri"],
        message: "belongs to the source external_docker, not github.",
      };
    }
  } else if (desired.source === "external_docker") {
    if (!hasImage) {
      yield { path: ["sourceRevisionConfig", "imageUri"], message: "is required for the source external_docker." };
    }
    for (const field of ["repoRef", "graphConfigPath"] as const) {
      if (revision[field] !== undefined) {
        yield { path: ["sourceRevisionConfig", field], message: "belongs to the source github, not external_docker." };
      }
    }
    for (const field of ["repoUrl", "deploymentType", "buildOnPush"] as const) {
      if (config[field] !== undefined) {
        yield { path: ["sourceConfig", field], message: "can't be set for the source external_docker." };
      }
    }
  }
  if (config.customUrl !== undefined && desired.source !== "external_docker") {
    yield { path: ["sourceConfig", "customUrl"], message: "can be set for the source external_docker only." };
  }
  yield* refProblems(revision.repoRef, config.buildOnPush);
  yield* environmentProblems(desired);
  yield* resourceProblems(config.resourceSpec);
}

function* refProblems(repoRef: string | undefined, buildOnPush: boolean | undefined): Generator<Problem> {
  if (repoRef === undefined) return;
  const path = ["sourceRevisionConfig", "repoRef"];
  if (repoRef.startsWith("refs/heads/")) {
    yield { path, message: `is a branch by its full ref; write "${repoRef.slice("refs/heads/".length)}".` };
  }
  if (isTagRef(repoRef) && buildOnPush === true) {
    yield {
      path: ["sourceConfig", "buildOnPush"],
      message: `must be false with the tag ${repoRef}: a tag doesn't move, so no push can build it.`,
    };
  }
}

function* environmentProblems({ env = {}, secrets = {}, source }: DesiredDeployment): Generator<Problem> {
  const edition = source === "external_docker" ? "self-hosted" : "cloud";
  for (const [field, entries] of [["env", env] as const, ["secrets", secrets] as const]) {
    for (const name of Object.keys(entries)) {
      const path = [field, name];
      if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
        yield {
          path,
          message: "is not a name that an environment variable can have (letters, digits and _, no digit first).",
        };
      } else if (name === managedByName) {
        yield { path, message: "is the mark that graphdeploy keeps itself." };
      } else if (isReservedName(name, edition)) {
        yield { path, message: "is reserved: the platform sets it itself. Choose another name." };
      }
    }
  }
  for (const name of Object.keys(secrets)) {
    if (Object.hasOwn(env, name)) {
      yield { path: ["secrets", name], message: "is declared in env too. Keep one of the two." };
    }
  }
}

function* resourceProblems(resourceSpec: Readonly<Record<string, unknown>> | undefined): Generator<Problem> {
  if (resourceSpec === undefined) return;
  const parsed = resourceSpecSchema.safeParse(snakeCaseKeys(resourceSpec));
  if (parsed.success) return;
  for (const issue of parsed.error.issues) {
    const [field, ...rest] = issue.path;
    yield {
      path: ["sourceConfig", "resourceSpec", camelCase(String(field)), ...rest.map(String)],
      message: lowerFirst(issue.message),
    };
  }
}

/** The environment entry that marks a deployment as made by graphdeploy, and by which program or file. */
export const managedByName = "GRAPHDEPLOY_MANAGED_BY";

/** `resourceSpec` as the wire spells it: only the top-level names change, what stands below is the platform's own. */
export function snakeCaseKeys(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [snakeCase(name), value]));
}

export function camelCaseKeys(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [camelCase(name), value]));
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function toProblems(issue: z.core.$ZodIssue): Problem[] {
  const path = issue.path.map((part) => (typeof part === "number" ? part : String(part)));
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      path: [...path, key],
      message: "is not a field of a deployment. Check its spelling.",
    }));
  }
  const missing = issue.code === "invalid_type" && issue.input === undefined;
  return [{ path, message: missing ? "is required." : `${lowerFirst(issue.message).replace(/\.?$/, "")}.` }];
}

function lowerFirst(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1);
}

function isWithin(outer: readonly string[], inner: readonly (string | number)[]): boolean {
  return (
    outer.every((part, index) => part === String(inner[index])) ||
    inner.every((part, index) => String(part) === outer[index])
  );
}

/** A copy of `value` without unknown values, and where they stood. */
function withoutUnknowns(
  value: unknown,
  isUnknown: (value: unknown) => boolean,
  path: readonly string[] = [],
): { value: unknown; unknownPaths: string[][] } {
  if (isUnknown(value)) return { value: undefined, unknownPaths: [[...path]] };
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { value, unknownPaths: [] };
  const unknownPaths: string[][] = [];
  const known: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) {
    if (field === undefined || field === null) continue;
    const result = withoutUnknowns(field, isUnknown, [...path, name]);
    unknownPaths.push(...result.unknownPaths);
    if (result.value !== undefined) known[name] = result.value;
  }
  return { value: known, unknownPaths };
}
