import type { DesiredDeployment } from "../core/declare/deployment.ts";
import { isSameRepository } from "../core/declare/deployment.ts";
import { duplicateNameProblems, readEnvironment } from "./environment-input.ts";
import type { WorkflowEvent } from "./event.ts";
import { readGraphConfigPath } from "./graph-config-path.ts";
import type { InputName } from "./input-defaults.ts";
import type { InputProblem } from "./input-problem.ts";

export interface DeclaredSources {
  /** The trimmed text; `undefined` if the input isn't given. */
  text(name: InputName): string | undefined;
  flag(name: InputName): boolean | undefined;
  withDefault(name: InputName): string;
  env: Readonly<Record<string, string | undefined>>;
  event: WorkflowEvent;
}

/** Events whose ref is both checked out and deployed. For others, a checkout has the default branch. */
const checkedOutEvents: ReadonlySet<string> = new Set([
  ...["push", "pull_request", "release", "schedule"],
  ...["workflow_dispatch", "repository_dispatch"],
]);

/** Reads what the inputs declare about a deployment, except its ref and its environment. */
export function readDeclared({ text, flag, withDefault, env, event }: DeclaredSources): {
  declared: DesiredDeployment;
  problems: readonly InputProblem[];
  /** Contradictions between the inputs and the checkout. */
  checkoutProblems: readonly InputProblem[];
} {
  const imageUri = text("image-uri");
  const source = text("source") ?? (imageUri === undefined ? "github" : "external_docker");
  const isGithub = source === "github";
  const ownUrl = event.repository === "" ? undefined : `${event.serverUrl}/${event.repository}`;
  const spec = readResourceSpec(text("resource-spec"));
  const references = readSecretReferences(text("secret-references"));
  const given = text("graph-config-path");
  const isOwnRepository = isSameRepository(
    (text("repo-url") ?? ownUrl ?? "").toLowerCase(),
    (ownUrl ?? "").toLowerCase(),
  );
  const isOwnRef = checkedOutEvents.has(event.name) && text("ref") === undefined && text("pull-request") === undefined;
  const isCheckedOut = Boolean(env.GITHUB_WORKSPACE) && isOwnRepository && isOwnRef;
  const config = isGithub
    ? readGraphConfigPath(given, withDefault("working-directory"), env.GITHUB_WORKSPACE || ".", isCheckedOut)
    : { path: given, problems: [], checkoutProblems: [] };
  const k8sNamespace = text("k8s-namespace");
  const declared: DesiredDeployment = {
    name: text("name") ?? "",
    source,
    sourceConfig: {
      repoUrl: text("repo-url") ?? (isGithub ? ownUrl : undefined),
      integrationId: text("integration-id"),
      deploymentType: text("deployment-type"),
      buildOnPush: flag("build-on-push"),
      customUrl: text("custom-url"),
      resourceSpec: spec.value,
      listenerId: text("listener-id"),
      listenerConfig: k8sNamespace === undefined ? undefined : { k8sNamespace },
      installCommand: text("install-command"),
      buildCommand: text("build-command"),
    },
    sourceRevisionConfig: { graphConfigPath: config.path, imageUri },
    secretReferences: references.value,
    displayName: text("display-name"),
  };
  return {
    declared,
    problems: [...spec.problems, ...references.problems, ...config.problems],
    checkoutProblems: config.checkoutProblems,
  };
}

/** Reads a map in the syntax of an environment; in JSON its values may have any type. */
function readMap(input: InputName, text: string): { entries: [string, unknown][]; problems: InputProblem[] } {
  if (text.startsWith("{")) {
    try {
      return { entries: Object.entries(JSON.parse(text)), problems: duplicateNameProblems(input, text) };
    } catch {
      return { entries: [], problems: [{ input, message: "starts like JSON but isn't valid JSON." }] };
    }
  }
  const { entries = {}, problems, missing } = readEnvironment(input, text);
  const withoutValue = missing.map((name) => ({ input, message: `has no value for ${name}.` }));
  return { entries: Object.entries(entries), problems: [...problems, ...withoutValue] };
}

interface Read<Value> {
  value: Value | undefined;
  problems: readonly InputProblem[];
}

function readResourceSpec(text: string | undefined): Read<Record<string, unknown>> {
  if (text === undefined) return { value: undefined, problems: [] };
  const { entries, problems } = readMap("resource-spec", text);
  const values = entries.map(([name, value]) => [name, typeof value === "string" ? asJson(value) : value]);
  return { value: Object.fromEntries(values), problems };
}

/** `text` parsed as JSON, or itself where it isn't JSON. */
function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function readSecretReferences(text: string | undefined): Read<NonNullable<DesiredDeployment["secretReferences"]>> {
  if (text === undefined) return { value: undefined, problems: [] };
  const { entries, problems } = readMap("secret-references", text);
  const references: [string, { secretName: string; secretKey: string }][] = [];
  for (const [name, value] of entries) {
    const [, secretName = "", secretKey = ""] = /^([^:\s]+):([^:\s]+)$/.exec(String(value).trim()) ?? [];
    if (secretName === "") {
      const message = `${name} is not <Kubernetes Secret>:<key>, for example ${name}=agent-secrets:token.`;
      problems.push({ input: "secret-references", message });
    } else references.push([name, { secretName, secretKey }]);
  }
  return { value: Object.fromEntries(references), problems };
}
