import { isDeepStrictEqual } from "node:util";
import { ConfigError } from "../core/client/errors.ts";
import { refusedRemovals } from "../core/declare/deployment.ts";
import { adviceOnField } from "../core/declare/near-misses.ts";
import {
  adviceOnUnknown,
  desiredFields,
  knownValue,
  nullProblem,
  validateDesired,
} from "../core/declare/validation.ts";
import { parseTimeout } from "../core/time.ts";
import { SettingsError, type StackConfig, settingsOf, withKeyByName } from "./connection.ts";
import { jsonSafe } from "./json-safe.ts";
import { replacedPaths } from "./replacement.ts";
import { connectionNames, type DeploymentInputs, declaredOf, inputNames, type Timeouts } from "./state.ts";
import { hasUnknown, isUnknown, unknownValue } from "./unknown.ts";

export interface CheckFailure {
  /**
   * Path of the input, for example `sourceConfig.buildOnPush`. Empty for an input as a whole: the engine prints its value
   * beside the name, which may be a secret in plain text.
   */
  property: string;
  /** Begins with the path. */
  reason: string;
}

/**
 * Validates the inputs without any request and fills in the defaults, so that previews show them and the state keeps
 * them. A warning is about what the platform may accept, but is probably a mistake.
 */
export function check(
  olds: DeploymentInputs | undefined,
  news: DeploymentInputs,
  config: StackConfig | undefined,
): { inputs: DeploymentInputs; failures: CheckFailure[]; warnings: string[] } {
  const inputs = withSecretsVersion(
    olds,
    withDefaults(olds, jsonSafe({ ...news, connection: withKeyByName(news.connection, config) })),
  );
  const { problems, warnings, desired } = validateDesired(declaredOf(inputs), isUnknown);
  const failures = problems.map(({ path, message }) =>
    failure(path, isMissingSource(path, inputs) ? sourceHint : message),
  );
  const { value, nullPaths } = knownValue(undeclaredOf(inputs), isUnknown);
  failures.push(
    ...nullPaths.map(nullProblem).map(({ path, message }) => failure(path, message)),
    ...unknownInputFailures(inputs),
    ...timeoutFailures(value as DeploymentInputs),
    ...kindFailures(value as DeploymentInputs),
    ...integrationFailures(value as DeploymentInputs, inputs),
    ...(nullPaths.some(([name]) => name === "connection") ? [] : connectionFailures(inputs, config)),
  );
  // For a creation the engine passes no old inputs, or an empty record in older versions. A replacement is a new
  // deployment, so nothing is removed from it.
  if (olds?.name !== undefined && !hasUnknown(inputs) && replacedPaths(olds, inputs).length === 0) {
    const removals = refusedRemovals(desired, declaredOf(olds));
    failures.push(...removals.map(({ path, message }) => ({ property: path, reason: `${path} ${message}` })));
  }
  return {
    inputs,
    failures: failures.map(withoutValue),
    warnings: warnings.map(({ path, message }) => failure(path, message).reason),
  };
}

function withoutValue({ property, reason }: CheckFailure): CheckFailure {
  return { property: /[.[]/.test(property) ? property : "", reason };
}

/**
 * Infers `source` from an image or a repository; a repository isn't built on push by default. What depends on a value
 * that a preview doesn't know is unknown as well, unless any other value would be refused: a wrong guess would show as
 * a change later.
 */
function withDefaults(olds: DeploymentInputs | undefined, news: DeploymentInputs): DeploymentInputs {
  const source = news.source === undefined ? inferredSource(news) : news.source;
  const buildOnPush = source === "github" ? false : isUnknown(source) ? unknownValue : undefined;
  const { sourceConfig } = news;
  const takesDefault =
    typeof sourceConfig === "object" && sourceConfig !== null && sourceConfig.buildOnPush === undefined;
  return {
    ...news,
    ...(source === undefined ? {} : { source }),
    ...(takesDefault && buildOnPush !== undefined ? { sourceConfig: { ...sourceConfig, buildOnPush } } : {}),
    // Earlier versions stored this default; its absence would show as a change.
    ...(news.wait === undefined && olds?.wait === true ? { wait: true } : {}),
  };
}

function inferredSource({ sourceConfig, sourceRevisionConfig }: DeploymentInputs): string | undefined {
  const image = isUnknown(sourceRevisionConfig) ? unknownValue : sourceRevisionConfig?.imageUri;
  const repository = isUnknown(sourceConfig) ? unknownValue : sourceConfig?.repoUrl;
  // Only one of the two may be declared, so a known one decides.
  const [declared] = [image, repository].filter((value) => value !== undefined && value !== null && !isUnknown(value));
  if (declared !== undefined) return declared === image ? "external_docker" : "github";
  if (isUnknown(image)) return isUnknown(repository) ? unknownValue : "external_docker";
  return isUnknown(repository) ? "github" : undefined;
}

function isMissingSource(path: readonly (string | number)[], { source }: DeploymentInputs): boolean {
  return path.join(".") === "source" && source === undefined;
}

const sourceHint =
  "is required. It follows from sourceConfig.repoUrl (a repository) or sourceRevisionConfig.imageUri (an image): declare one of them.";

/** Increments the version when the secrets change; it is unknown while any secret is. */
function withSecretsVersion(olds: DeploymentInputs | undefined, news: DeploymentInputs): DeploymentInputs {
  if (news.secrets === undefined && olds?.secretsVersion === undefined) return news;
  const before = olds?.secretsVersion ?? 0;
  if (hasUnknown(news.secrets)) return { ...news, secretsVersion: unknownValue };
  const isSame = before > 0 && isDeepStrictEqual(olds?.secrets, news.secrets);
  return { ...news, secretsVersion: isSame ? before : before + 1 };
}

/** The inputs that aren't part of the declaration, except triggers, which may have any value. */
function undeclaredOf(inputs: DeploymentInputs): Partial<DeploymentInputs> {
  return Object.fromEntries(
    Object.entries(inputs).filter(([name]) => name !== "triggers" && !desiredFields.includes(name)),
  );
}

const timeoutNames: readonly string[] = ["create", "update", "delete"] satisfies (keyof Timeouts)[];

/** The paths of what a program may set beside the declaration. */
const otherArguments: readonly (readonly string[])[] = [
  ...["triggers", "wait", "timeouts", "adopt", "deleteTracingProject", "pushedCommit"].map((name) => [name]),
  ...timeoutNames.map((name) => ["timeouts", name]),
  ...connectionNames.map((name) => ["the Provider", name]),
];

function* unknownInputFailures(inputs: DeploymentInputs): Generator<CheckFailure> {
  for (const name of Object.keys(inputs)) {
    if (!inputNames.includes(name)) {
      yield failure([name], `is not an input of a deployment. ${adviceOnUnknown([name], otherArguments)}`);
    }
  }
  const { connection } = inputs;
  if (typeof connection !== "object" || connection === null) return;
  const known = connectionNames.map((name) => ["connection", name]);
  for (const name of Object.keys(connection)) {
    const path = ["connection", name];
    if ((connectionNames as readonly string[]).includes(name)) continue;
    yield failure(path, `is not an argument of a Provider. ${adviceOnField(path, known)}`);
  }
}

function* timeoutFailures({ timeouts }: DeploymentInputs): Generator<CheckFailure> {
  if (timeouts === undefined) return;
  if (typeof timeouts !== "object") {
    yield failure(["timeouts"], 'must be a map like { create: "30m" }.');
    return;
  }
  for (const [name, value] of Object.entries(timeouts)) {
    if (!timeoutNames.includes(name)) {
      yield failure(["timeouts", name], "is unknown: only create, update and delete wait.");
      continue;
    }
    try {
      parseTimeout(value, `timeouts.${name}`);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      yield { property: `timeouts.${name}`, reason: error.message };
    }
  }
}

function* kindFailures(inputs: DeploymentInputs): Generator<CheckFailure> {
  for (const name of ["wait", "adopt", "deleteTracingProject"] as const) {
    const value = inputs[name];
    if (value !== undefined && typeof value !== "boolean") yield failure([name], "must be true or false.");
  }
  const { pushedCommit } = inputs;
  if (pushedCommit !== undefined && !/^[0-9a-f]{40}([0-9a-f]{24})?$/.test(String(pushedCommit))) {
    yield failure(["pushedCommit"], "must be the full SHA of a commit.");
  }
}

/** `news` are the inputs with placeholders: an unknown field may be declared. */
function* integrationFailures(value: DeploymentInputs, news: DeploymentInputs): Generator<CheckFailure> {
  const { integration } = value;
  if (integration === undefined) return;
  if (integration !== "auto") {
    yield failure(["integration"], 'must be "auto".');
    return;
  }
  const { sourceConfig } = news;
  if (isUnknown(sourceConfig)) return;
  if (sourceConfig?.integrationId !== undefined) {
    yield failure(["integration"], "is declared together with sourceConfig.integrationId. Keep one of the two.");
  } else if (sourceConfig?.repoUrl === undefined) {
    yield failure(["integration"], "needs sourceConfig.repoUrl, the repository to find the integration of.");
  }
}

function* connectionFailures(inputs: DeploymentInputs, config: StackConfig | undefined): Generator<CheckFailure> {
  if (hasUnknown(inputs.connection)) return;
  try {
    settingsOf(inputs.connection, config);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const { path, message } of error instanceof SettingsError ? error.problems : [error]) {
      yield { property: path === undefined ? "connection" : `connection.${path}`, reason: message };
    }
  }
}

function failure(path: readonly (string | number)[], message: string): CheckFailure {
  const property = path.map((part, index) => propertyPart(part, index)).join("");
  return { property, reason: `${property} ${message}` };
}

function propertyPart(part: string | number, index: number): string {
  if (typeof part === "number") return `[${part}]`;
  if (!/^[A-Za-z_$][\w$]*$/.test(part)) return `[${JSON.stringify(part)}]`;
  return index === 0 ? part : `.${part}`;
}
