import { isDeepStrictEqual } from "node:util";
import { validateDesired } from "../core/desired.ts";
import { parseDuration } from "../core/duration.ts";
import { ConfigError } from "../core/errors.ts";
import { refusedRemovals } from "../core/plan.ts";
import { type StackConfig, settingsOf, withKeyByName } from "./connection.ts";
import { jsonSafe } from "./json-safe.ts";
import { replacedPaths } from "./replacement.ts";
import { type DeploymentInputs, declaredOf, inputNames } from "./state.ts";
import { hasUnknown, isUnknown } from "./unknown.ts";

export interface CheckFailure {
  /** Path of the input, for example `sourceConfig.buildOnPush`. */
  property: string;
  reason: string;
}

/** Validates the inputs without any request and fills in the defaults, so that they are seen in preview and kept in the state. */
export function check(
  olds: DeploymentInputs | undefined,
  news: DeploymentInputs,
  config: StackConfig | undefined,
): { inputs: DeploymentInputs; failures: CheckFailure[] } {
  const inputs = withSecretsVersion(
    olds,
    withDefaults(jsonSafe({ ...news, connection: withKeyByName(news.connection, config) })),
  );
  const { problems, desired } = validateDesired(declaredOf(inputs), isUnknown);
  const failures = problems.map(({ path, message }) => failure(path, message));
  failures.push(
    ...unknownInputFailures(inputs),
    ...timeoutFailures(inputs),
    ...kindFailures(inputs),
    ...connectionFailures(inputs, config),
  );
  // The engine passes no old inputs to a creation, and an empty record from older versions.
  // A replacement is a new deployment, which begins with nothing to remove.
  if (olds?.name !== undefined && !hasUnknown(inputs) && replacedPaths(olds, inputs).length === 0) {
    const removals = refusedRemovals(desired, declaredOf(olds));
    failures.push(...removals.map(({ path, message }) => ({ property: path, reason: `${path} ${message}` })));
  }
  return { inputs, failures };
}

/** `source` follows from an image or a repository; a repository isn't built on push unless that is declared. */
function withDefaults(news: DeploymentInputs): DeploymentInputs {
  const { sourceConfig, sourceRevisionConfig } = news;
  const known = <Value>(value: Value | undefined) => (isUnknown(value) ? undefined : value);
  const inferred =
    known(sourceRevisionConfig)?.imageUri !== undefined
      ? "external_docker"
      : known(sourceConfig)?.repoUrl !== undefined
        ? "github"
        : undefined;
  const source = news.source ?? inferred;
  const isBuiltOnPush = source === "github" && !isUnknown(sourceConfig) && sourceConfig?.buildOnPush === undefined;
  return {
    ...news,
    ...(source === undefined ? {} : { source }),
    ...(isBuiltOnPush ? { sourceConfig: { ...sourceConfig, buildOnPush: false } } : {}),
    wait: news.wait ?? true,
  };
}

function withSecretsVersion(olds: DeploymentInputs | undefined, news: DeploymentInputs): DeploymentInputs {
  if (news.secrets === undefined && olds?.secretsVersion === undefined) return news;
  const before = olds?.secretsVersion ?? 0;
  const isSame = before > 0 && isDeepStrictEqual(olds?.secrets, news.secrets);
  return { ...news, secretsVersion: isSame ? before : before + 1 };
}

function* unknownInputFailures(inputs: DeploymentInputs): Generator<CheckFailure> {
  for (const name of Object.keys(inputs)) {
    if (!inputNames.includes(name)) yield failure([name], "is not an input of a deployment. Check its spelling.");
  }
}

function* timeoutFailures({ timeouts }: DeploymentInputs): Generator<CheckFailure> {
  if (timeouts === undefined || isUnknown(timeouts)) return;
  if (typeof timeouts !== "object") {
    yield failure(["timeouts"], 'must be a map like { create: "30m" }.');
    return;
  }
  for (const [name, value] of Object.entries(timeouts)) {
    if (isUnknown(value)) continue;
    if (!["create", "update", "delete"].includes(name)) {
      yield failure(["timeouts", name], "is unknown: only create, update and delete wait.");
      continue;
    }
    try {
      parseDuration(value, `timeouts.${name}`);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      yield { property: `timeouts.${name}`, reason: error.message };
    }
  }
}

function* kindFailures(inputs: DeploymentInputs): Generator<CheckFailure> {
  for (const name of ["wait", "adopt", "deleteTracingProject"] as const) {
    const value = inputs[name];
    if (value !== undefined && typeof value !== "boolean" && !isUnknown(value)) {
      yield failure([name], "must be true or false.");
    }
  }
  const { pushedCommit } = inputs;
  if (
    pushedCommit !== undefined &&
    !isUnknown(pushedCommit) &&
    !/^[0-9a-f]{40}([0-9a-f]{24})?$/.test(String(pushedCommit))
  ) {
    yield failure(["pushedCommit"], "must be the full SHA of a commit.");
  }
}

function* connectionFailures(inputs: DeploymentInputs, config: StackConfig | undefined): Generator<CheckFailure> {
  if (hasUnknown(inputs.connection)) return;
  try {
    settingsOf(inputs.connection, config);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    yield { property: error.path === undefined ? "connection" : `connection.${error.path}`, reason: error.message };
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
