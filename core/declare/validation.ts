import { z } from "zod";
import {
  deploymentTypeSchema,
  type Edition,
  isMarkerName,
  isReservedName,
  resourceSpecSchema,
  sourceSchema,
} from "../client/wire/deployments.ts";
import { camelCase, snakeCaseKeys } from "../names.ts";
import { type DesiredDeployment, isTagRef } from "./deployment.ts";
import { adviceOnField, doubtsAbout, fieldPaths } from "./near-misses.ts";

/** One mistake in a declaration. `path` leads to the field, for example `["sourceConfig", "buildOnPush"]`. */
export interface Problem {
  path: readonly (string | number)[];
  message: string;
}

type Path = Problem["path"];

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

/** The names of all fields that can be declared. */
export const desiredFields: readonly string[] = Object.keys(desiredSchema.shape);

const desiredPaths = fieldPaths(desiredSchema);

/** What to do about an unknown field; `others` are the paths of fields beside those of a declaration. */
export function adviceOnUnknown(path: Path, others: readonly (readonly string[])[] = []): string {
  return adviceOnField(path, [...desiredPaths, ...others]);
}

/**
 * Validates a declaration once, at the door; nothing behind it validates again.
 *
 * @param isUnknown whether a value isn't known yet (a Pulumi output in preview); it counts as valid
 * @returns `warnings` about what the platform may accept, but is probably a mistake; none beside problems with shapes
 */
export function validateDesired(
  declared: unknown,
  isUnknown: (value: unknown) => boolean = () => false,
): { desired: DesiredDeployment; problems: readonly Problem[]; warnings: readonly Problem[] } {
  const { value, unknownPaths, nullPaths: nulls } = knownValue(declared, isUnknown);
  const nullPaths = [...nulls, ...undefinedVariables(declared)];
  const parsed = desiredSchema.safeParse(value, { reportInput: true });
  const shapeProblems = parsed.success ? [] : parsed.error.issues.flatMap(toProblems);
  const withoutValue = [...unknownPaths, ...nullPaths];
  const problems = [
    ...nullPaths.map(nullProblem),
    ...shapeProblems.filter((problem) => !withoutValue.some((path) => isWithin(path, problem.path))),
  ];
  const desired = value as DesiredDeployment;
  if (problems.length > 0) return { desired, problems, warnings: [] };
  return { desired, problems: [...ruleProblems(desired, unknownPaths)], warnings: [...doubtsAbout(desired)] };
}

/** Variables without a value: one that is left out by mistake would be missing in the deployment. */
function undefinedVariables(declared: unknown): Path[] {
  const { env, secrets } = (declared ?? {}) as { env?: unknown; secrets?: unknown };
  return Object.entries({ env, secrets }).flatMap(([field, entries]) => {
    if (typeof entries !== "object" || entries === null) return [];
    const names = Object.keys(entries).filter((name) => (entries as Record<string, unknown>)[name] === undefined);
    return names.map((name) => [field, name]);
  });
}

/** What Git hosts take: https, http or ssh, or ssh in the form of scp. */
const repositoryAddress = /^(?:(?:https?|ssh):\/\/[^/\s]+\/|[\w.-]+@[\w.-]+:\/?)[^\s/]\S*$/i;

/**
 * The rules between fields that are valid each by itself. A field at or below an unknown path may be declared, so it is
 * neither missing nor in conflict with another.
 */
function* ruleProblems(desired: DesiredDeployment, unknownPaths: readonly Path[]): Generator<Problem> {
  const config = desired.sourceConfig ?? {};
  const revision = desired.sourceRevisionConfig ?? {};
  const mayBeDeclared: MayBeDeclared = (path, value) =>
    value !== undefined || unknownPaths.some((unknown) => isWithin(unknown, path));
  const sourceMayBe = (source: string) =>
    desired.source === undefined ? mayBeDeclared(["source"], undefined) : desired.source === source;

  if (revision.imageUri !== undefined && config.repoUrl !== undefined) {
    yield {
      path: ["sourceRevisionConfig", "imageUri"],
      message:
        "is declared together with sourceConfig.repoUrl: a deployment comes from an image or from a repository. Remove one.",
    };
  } else if (desired.source === "github") yield* repositoryProblems(desired, mayBeDeclared);
  else if (desired.source === "external_docker") yield* imageProblems(desired, mayBeDeclared);
  if (config.customUrl !== undefined && !sourceMayBe("external_docker")) {
    yield { path: ["sourceConfig", "customUrl"], message: "can only be set for the source external_docker." };
  }
  if (config.repoUrl !== undefined && !repositoryAddress.test(config.repoUrl)) {
    yield {
      path: ["sourceConfig", "repoUrl"],
      message:
        "isn't the address of a repository. Write https://<host>/<path>, ssh://<user>@<host>/<path> or <user>@<host>:<path>.",
    };
  }
  const repository = URL.parse(config.repoUrl ?? "");
  // A token may be in the place of the user name. The user of an ssh address isn't secret.
  if (repository?.password || (/^https?:$/.test(repository?.protocol ?? "") && repository?.username)) {
    yield {
      path: ["sourceConfig", "repoUrl"],
      message:
        "contains a user name or password, which would be stored in plain text. Leave it out: the integration has access.",
    };
  }
  yield* refProblems(revision.repoRef, config.buildOnPush);
  yield* environmentProblems(desired, sourceMayBe("external_docker") ? "self-hosted" : "cloud");
  yield* resourceProblems(config.resourceSpec);
}

type MayBeDeclared = (path: readonly string[], value: unknown) => boolean;

function* repositoryProblems(
  { sourceConfig = {}, sourceRevisionConfig = {} }: DesiredDeployment,
  mayBeDeclared: MayBeDeclared,
): Generator<Problem> {
  if (!mayBeDeclared(["sourceConfig", "repoUrl"], sourceConfig.repoUrl)) {
    yield { path: ["sourceConfig", "repoUrl"], message: "is required for the source github." };
  }
  const configPath = ["sourceRevisionConfig", "graphConfigPath"];
  if (!mayBeDeclared(configPath, sourceRevisionConfig.graphConfigPath)) {
    yield {
      path: configPath,
      message: "is required for the source github: the path of the graph configuration file in the repository.",
    };
  }
  if (sourceRevisionConfig.imageUri !== undefined) {
    yield {
      path: ["sourceRevisionConfig", "imageUri"],
      message: "belongs to the source external_docker, not github.",
    };
  }
}

function* imageProblems(
  { sourceConfig = {}, sourceRevisionConfig = {} }: DesiredDeployment,
  mayBeDeclared: MayBeDeclared,
): Generator<Problem> {
  const path = ["sourceRevisionConfig", "imageUri"];
  if (!mayBeDeclared(path, sourceRevisionConfig.imageUri)) {
    yield { path, message: "is required for the source external_docker." };
  }
  for (const field of ["repoRef", "graphConfigPath"] as const) {
    if (sourceRevisionConfig[field] !== undefined) {
      yield { path: ["sourceRevisionConfig", field], message: "belongs to the source github, not external_docker." };
    }
  }
  for (const field of ["repoUrl", "deploymentType", "buildOnPush"] as const) {
    if (sourceConfig[field] !== undefined) {
      yield { path: ["sourceConfig", field], message: "can't be set for the source external_docker." };
    }
  }
}

function* refProblems(repoRef: string | undefined, buildOnPush: boolean | undefined): Generator<Problem> {
  if (repoRef === undefined) return;
  const path = ["sourceRevisionConfig", "repoRef"];
  if (repoRef.startsWith("refs/heads/")) {
    yield { path, message: `is the full ref of a branch; write "${repoRef.slice("refs/heads/".length)}".` };
  }
  if (isTagRef(repoRef) && buildOnPush === true) {
    yield {
      path: ["sourceConfig", "buildOnPush"],
      message: `must be false with the tag ${repoRef}: a tag doesn't move, so no push can build it.`,
    };
  }
}

function* environmentProblems(desired: DesiredDeployment, edition: Edition): Generator<Problem> {
  const { env = {}, secrets = {}, secretReferences = {} } = desired;
  if (desired.secretReferences !== undefined && edition === "cloud") {
    yield { path: ["secretReferences"], message: "can only be set for the source external_docker." };
  }
  const places = new Map<string, string>();
  for (const [field, entries] of Object.entries({ env, secrets, secretReferences })) {
    for (const name of Object.keys(entries)) {
      const message = nameProblem(name, edition);
      const place = places.get(name);
      if (message !== undefined) yield { path: [field, name], message };
      else if (place !== undefined) {
        yield { path: [field, name], message: `is declared in ${place} as well. Keep one of the two.` };
      } else places.set(name, field);
    }
  }
}

function nameProblem(name: string, edition: Edition): string | undefined {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    return "isn't a valid name of an environment variable (letters, digits and _, not starting with a digit).";
  }
  if (isMarkerName(name)) return "is part of the ownership marker, which graphdeploy manages itself.";
  if (isReservedName(name, edition)) return "is reserved: the platform sets it itself. Choose another name.";
  return undefined;
}

function* resourceProblems(resourceSpec: Readonly<Record<string, unknown>> | undefined): Generator<Problem> {
  if (resourceSpec === undefined) return;
  const parsed = resourceSpecSchema.safeParse(snakeCaseKeys(resourceSpec));
  if (parsed.success) return;
  for (const issue of parsed.error.issues) {
    const [field, ...rest] = issue.path;
    yield {
      path: ["sourceConfig", "resourceSpec", camelCase(String(field)), ...rest.map(String)],
      message: asSentenceEnd(issue.message),
    };
  }
}

/** Converts a schema's issue. One about several unknown fields becomes several problems. */
function toProblems(issue: z.core.$ZodIssue): Problem[] {
  const path = issue.path.map((part) => (typeof part === "number" ? part : String(part)));
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      path: [...path, key],
      message: `is not a field here. ${adviceOnUnknown([...path, key])}`,
    }));
  }
  const missing = issue.code === "invalid_type" && issue.input === undefined;
  return [{ path, message: missing ? "is required." : asSentenceEnd(issue.message) }];
}

/** The problem of a null in a declaration, which is ambiguous: it could mean "not declared" or "clear it". */
export function nullProblem(path: Path): Problem {
  const isVariable = path.length === 2 && (path[0] === "env" || path[0] === "secrets");
  return { path, message: `is ${isVariable ? "null or undefined" : "null"}. Leave it out, or give it a value.` };
}

/** `message` as the end of a sentence that begins with the field's name. */
function asSentenceEnd(message: string): string {
  return `${message.charAt(0).toLowerCase()}${message.slice(1).replace(/\.$/, "")}.`;
}

/** The known part of a value, and the paths of the rest. */
interface KnownValue {
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
function isWithin(outer: Path, inner: Path): boolean {
  return outer.slice(0, inner.length).every((part, index) => String(part) === String(inner[index]));
}
