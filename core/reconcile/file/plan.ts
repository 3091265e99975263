import type { ControlPlane } from "../../client/client.ts";
import { ConfigError, GraphDeployError } from "../../client/errors.ts";
import type { Deployment } from "../../client/wire/deployments.ts";
import type { DeclarativeFile, DeclaredDeployment } from "../../declare/file/declarative-file.ts";
import { type ContentChange, hasContent, planAgentContent } from "../agent-content.ts";
import { isBeingDeleted } from "../apply.ts";
import { commitFor, type FileOptions, type PlannedDeployment, planDeclared } from "./declared.ts";
import { observeLatestRevisions, observeWorkspace } from "./observe.ts";
import { isOwnedByFile } from "./owner.ts";

/** What an apply of the file does. */
export interface FilePlan {
  deployments: readonly PlannedDeployment[];
  /** What the file owns and no longer declares; a prune deletes it. */
  undeclared: readonly Pick<Deployment, "id" | "name">[];
  /** Whether the undeclared are deleted. */
  prunes: boolean;
}

/** Whether an apply may change anything; a plan with a refusal has changes that can't be made. */
export function hasChanges({ deployments, undeclared, prunes }: FilePlan): boolean {
  const isChanged = ({ action, content, isContentUnknown }: PlannedDeployment) =>
    (action !== "nothing" && action !== "follow") || content.length > 0 || isContentUnknown === true;
  return deployments.some(isChanged) || (prunes && undeclared.length > 0);
}

/**
 * Compares a file with the platform, without changing anything. It lists the workspace once and reads only the
 * revisions that aren't live, or whose commit matters.
 * @throws the client's errors; what refuses a single deployment stands in its plan
 */
export async function planFile(client: ControlPlane, file: DeclarativeFile, options: FileOptions): Promise<FilePlan> {
  client.redactor.add(file.secrets);
  const declared = selected(file.deployments, options.only);
  const workspace = await observeWorkspace(client, options);
  const existing = declared.map(({ desired }) => workspace.get(desired.name)).filter((found) => found !== undefined);
  const unsettled = existing.filter(
    (deployment) =>
      deployment.active_revision_id !== deployment.latest_revision_id ||
      commitFor(declaredOf(declared, deployment).desired, options.commit) !== undefined,
  );
  const latest = await observeLatestRevisions(client, unsettled, options);
  const deployments = await Promise.all(
    declared.map(async (one) => {
      const deployment = workspace.get(one.desired.name);
      const planned = planDeclared(client, one, deployment, deployment && latest.get(deployment.id), options);
      return withContent(planned, one, options);
    }),
  );
  const names = new Set(file.deployments.map(({ desired }) => desired.name));
  const isUndeclared = (deployment: Deployment) =>
    !names.has(deployment.name) && isOwnedByFile(deployment, options.owner) && !isBeingDeleted(deployment);
  const undeclared = options.only === undefined ? [...workspace.values()].filter(isUndeclared) : [];
  return { deployments, undeclared, prunes: options.prune === true };
}

function declaredOf(declared: readonly DeclaredDeployment[], { name }: Deployment): DeclaredDeployment {
  return declared.find(({ desired }) => desired.name === name) as DeclaredDeployment;
}

/** @throws {@link ConfigError} for a key that the file doesn't have */
export function selected(
  deployments: readonly DeclaredDeployment[],
  only: readonly string[] | undefined,
): readonly DeclaredDeployment[] {
  if (only === undefined) return deployments;
  const keys = deployments.map(({ key }) => key);
  const unknown = only.filter((key) => !keys.includes(key));
  if (unknown.length > 0) {
    throw new ConfigError(`only: the file has no deployment ${unknown.join(", ")}.`, {
      path: "only",
      hint: `It has ${keys.join(", ")}.`,
    });
  }
  return deployments.filter(({ key }) => only.includes(key));
}

async function withContent(
  planned: PlannedDeployment,
  declared: DeclaredDeployment,
  options: FileOptions,
): Promise<PlannedDeployment> {
  if (planned.action === "refused" || (!hasContent(declared) && options.prune !== true)) return planned;
  const url = planned.deployment?.source_config.custom_url;
  const isServing = typeof planned.deployment?.active_revision_id === "string" && typeof url === "string";
  if (!isServing) return { ...planned, content: creationOf(declared) };
  try {
    const { deployment } = planned;
    const { signal, prune } = options;
    const contentOptions = { deploymentId: (deployment as Deployment).id, prune, signal };
    const { changes, undeclared } = await planAgentContent(options.connect(url), declared, contentOptions);
    const kept = undeclared.length > 0 ? [`No longer declared, and kept: ${undeclared.join(", ")}.`] : [];
    return { ...planned, content: changes, notes: [...planned.notes, ...kept] };
  } catch (error) {
    if (!(error instanceof GraphDeployError)) throw error;
    // The key may not be sent there, or an assistant of that id is somebody else's.
    if (error instanceof ConfigError && hasContent(declared))
      return { ...planned, action: "refused", refusal: error.message };
    const note = `The agent server can't be compared: ${error.message}`;
    return { ...planned, notes: [...planned.notes, note], isContentUnknown: true };
  }
}

function creationOf({ assistants, crons, store }: DeclaredDeployment): ContentChange[] {
  const created = (kind: ContentChange["kind"], names: readonly string[]) =>
    names.map((name) => ({ kind, name, action: "create" as const, fields: [] }));
  return [
    ...created("assistant", Object.keys(assistants)),
    ...created("cron", Object.keys(crons)),
    ...created(
      "store item",
      store.map(({ namespace, key }) => [...namespace, key].join("/")),
    ),
  ];
}
