import type { ControlPlane } from "../../client/client.ts";
import { Aborted, ConfigError } from "../../client/errors.ts";
import type { Deployment } from "../../client/wire/deployments.ts";
import type { DeclarativeFile, DeclaredDeployment } from "../../declare/file/declarative-file.ts";
import type { ProgressEvent } from "../../rollout/waiting.ts";
import { applyAgentContent, hasContent } from "../agent-content.ts";
import { isBeingDeleted } from "../apply.ts";
import { ownershipClause, readMarker } from "../ownership.ts";
import { type LiveDeployment, type ReconcileOptions, type Reconciliation, reconcile } from "../reconcile.ts";
import { commitFor, type PlannedDeployment, updateOptions } from "./declared.ts";
import { deleteOwned } from "./destroy.ts";
import { type ApplyFileOptions, isLiveOutcome, type Outcome, skipped } from "./outcome.ts";
import { deploymentOwner } from "./owner.ts";
import { type FilePlan, selected } from "./plan.ts";
import { inDependencyOrder, Slots } from "./schedule.ts";

/**
 * Brings the platform to what a file declares: every deployment as soon as those that it depends on are live, several at
 * once. What the plan found unchanged is left alone. A failure ends only its deployment and those that depend on it.
 * With `prune` it deletes what the file no longer declares, once everything else has succeeded.
 *
 * It can be ended by the signal and run again at any point: every step rechecks what is there.
 * @returns an outcome for each deployment, in the file's order; it throws only what makes the whole plan impossible
 */
export async function applyFile(
  client: ControlPlane,
  file: DeclarativeFile,
  plan: FilePlan,
  options: ApplyFileOptions,
): Promise<Outcome[]> {
  client.redactor.add(file.secrets);
  const slots = new Slots(options.parallel);
  const planned = new Map(plan.deployments.map((one) => [one.key, one]));
  const outcomes = new Map<string, Promise<Outcome>>();
  const apply = async (declared: DeclaredDeployment): Promise<Outcome> => {
    // A dependency that isn't selected is as live as it is.
    const before = await Promise.all(declared.dependsOn.map((key) => outcomes.get(key)));
    const missing = before.find((outcome) => outcome !== undefined && !isLiveOutcome(outcome));
    const one = planned.get(declared.key);
    const step = new Step(client, declared, one, options);
    if (missing !== undefined) return step.skip(`${missing.key} isn't live, and ${declared.key} depends on it.`);
    return slots.run(() => step.run());
  };
  const ordered = selected(file.deployments, options.only);
  for (const declared of inDependencyOrder(ordered)) {
    const outcome = apply(declared).then((ended) => {
      options.onOutcome?.(ended);
      return ended;
    });
    outcomes.set(declared.key, outcome);
  }
  const ended = await Promise.all(ordered.map(({ key }) => outcomes.get(key) as Promise<Outcome>));
  if (!plan.prunes) return ended;
  const areAllLive = ended.every(isLiveOutcome);
  const deleted = await Promise.all(
    plan.undeclared.map(async ({ id, name }) => {
      const outcome = areAllLive
        ? await slots.run(() => deleteOwned(client, { key: name, name, id }, options))
        : skipped(name, name, "It is deleted once everything that the file declares is live.");
      options.onOutcome?.(outcome);
      return outcome;
    }),
  );
  return [...ended, ...deleted];
}

/** Applies one deployment, and keeps what is known of it whatever fails. */
class Step {
  readonly #client: ControlPlane;
  readonly #declared: DeclaredDeployment;
  /** What the plan found; it may be outdated. */
  readonly #planned: PlannedDeployment | undefined;
  readonly #options: ApplyFileOptions;
  readonly #known: Partial<Outcome> = {};

  constructor(
    client: ControlPlane,
    declared: DeclaredDeployment,
    planned: PlannedDeployment | undefined,
    options: ApplyFileOptions,
  ) {
    this.#client = client;
    this.#declared = declared;
    this.#planned = planned;
    this.#options = options;
  }

  skip(message: string): Outcome {
    return skipped(this.#declared.key, this.#declared.desired.name, message);
  }

  async run(): Promise<Outcome> {
    const { signal } = this.#options;
    if (signal?.aborted) return this.skip("The run was interrupted before it began.");
    const startedAtMs = this.#client.clock.now();
    const duration = () => this.#client.clock.now() - startedAtMs;
    try {
      const result = await this.#apply();
      return this.#outcome(result, duration());
    } catch (error) {
      const result = error instanceof Aborted || signal?.aborted === true ? "interrupted" : "failed";
      return this.#outcome(result, duration(), error instanceof Error ? error : new Error(String(error)));
    }
  }

  #outcome(result: Outcome["result"], durationMs: number, error?: Error): Outcome {
    const { key, desired } = this.#declared;
    return { key, name: desired.name, content: [], ...this.#known, result, durationMs, error };
  }

  async #apply(): Promise<"created" | "updated" | "unchanged"> {
    if (await this.#isStillUnchanged()) return "unchanged";
    const { desired } = this.#declared;
    const { deployments } = this.#client;
    const { signal } = this.#options;
    const { deployment: found } = await deployments.findByName(desired.name, { signal });
    const isFree = found === undefined || isBeingDeleted(found);
    const run = isFree ? this.#create() : this.#update(found);
    run.deployment.then(({ deployment }) => this.#know(deployment)).catch(() => undefined);
    const { origin, revisionId, deployment } = await run.started;
    this.#know(deployment);
    this.#known.revisionId = revisionId;
    const live = await run.live();
    this.#know(live.deployment);
    const changes = await this.#applyContent(live);
    if (origin === "created") return "created";
    const isChanged = revisionId !== undefined || changes > 0 || deployment.updated_at !== found?.updated_at;
    return isChanged ? "updated" : "unchanged";
  }

  /** Whether the plan found no change, and nobody has changed the deployment since. */
  async #isStillUnchanged(): Promise<boolean> {
    const { action, content, deployment, isContentUnknown } = this.#planned ?? {};
    if (action !== "nothing" || content?.length !== 0 || isContentUnknown === true || deployment === undefined)
      return false;
    // An older server doesn't say whether it is live.
    if (deployment.latest_revision_id === undefined) return false;
    const found = await this.#client.deployments.find(deployment.id, { signal: this.#options.signal });
    if (found === undefined || isBeingDeleted(found) || found.updated_at !== deployment.updated_at) return false;
    this.#know(found);
    return true;
  }

  #know(deployment: Deployment | undefined): void {
    if (deployment === undefined) return;
    this.#known.deploymentId = deployment.id;
    this.#known.url = deployment.source_config.custom_url ?? this.#known.url;
  }

  #create(): Reconciliation {
    const { desired, integration } = this.#declared;
    return reconcile(this.#client, desired, { ...this.#common(), integration, adopt: this.#options.adopt });
  }

  #update(found: Deployment): Reconciliation {
    const { desired: declared } = this.#declared;
    const { desired, marker, unreadable, droppable, takesOver } = updateOptions(declared, found, this.#options);
    const common = { ...this.#common(), droppable };
    if (takesOver !== undefined && this.#planned?.deployment?.id !== found.id) {
      throw new ConfigError(
        `Deployment ${found.name} (${found.id}), ${ownershipClause(found)}, appeared after the plan, so it wasn't taken over.`,
        { path: "name", hint: "Plan again to see it." },
      );
    }
    if (takesOver !== undefined) return reconcile(this.#client, desired, { ...common, adopt: true });
    const claim = { owner: marker, held: readMarker(found.secrets) };
    return reconcile(this.#client, desired, { ...common, id: found.id, claim, unreadable });
  }

  #common(): ReconcileOptions {
    const { signal, limits, onDeploymentProgress, owner, commit } = this.#options;
    const { key, desired } = this.#declared;
    return {
      claim: { owner: deploymentOwner(owner, desired.name) },
      pushedCommit: commitFor(desired, commit),
      limits,
      signal,
      onProgress: (event) => onDeploymentProgress?.(key, event),
    };
  }

  async #applyContent({ deployment }: LiveDeployment): Promise<number> {
    const { connect, prune, signal, onDeploymentProgress } = this.#options;
    // Without any, the planned changes delete what is no longer declared.
    if (!hasContent(this.#declared) && (this.#planned?.content ?? []).length === 0) return 0;
    const { key, desired } = this.#declared;
    const url = deployment.source_config.custom_url;
    if (typeof url !== "string") {
      throw new Error(
        `${desired.name} is live, but the platform names no address of its agent server yet: assistants, crons and store weren't applied. Run again.`,
      );
    }
    const onProgress = (event: ProgressEvent) => onDeploymentProgress?.(key, event);
    const server = connect(url);
    const message = "Waiting until the agent server responds.";
    const onWaiting = (elapsedMs: number) => onProgress({ type: "waiting", message, elapsedMs });
    await server.waitUntilServing({ signal, onWaiting });
    const contentOptions = { deploymentId: deployment.id, prune, signal, onProgress };
    const { changes } = await applyAgentContent(server, this.#declared, contentOptions);
    this.#known.content = changes;
    return changes.length;
  }
}
