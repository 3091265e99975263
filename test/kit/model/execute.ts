import { importFile } from "../../../provider/import-file.ts";
import type { StackKey, Step } from "./commands.ts";
import { isContested, isDeployment, project, urnIn } from "./declared.ts";
import type { RunChoices } from "./driver.ts";
import { edited } from "./edits.ts";
import { declarationsAreMet } from "./invariants.ts";
import type { Model } from "./model.ts";
import { observe, onlyLooked } from "./observation.ts";
import { repositoryUrl } from "./program.ts";
import { Violation } from "./violation.ts";
import { apiKey, type World } from "./world.ts";

type UpStep = Extract<Step, { step: "up" }>;
type DestroyStep = Extract<Step, { step: "destroy" }>;

/**
 * Executes one step of a sequence, and checks the invariants that apply after it.
 * @throws Violation
 */
export async function execute(step: Step, model: Model, world: World): Promise<void> {
  switch (step.step) {
    case "up":
      return up(step, model, world);
    case "destroy":
      return destroy(step, model, world);
    case "refresh":
      return refresh(step.stack, model, world);
    case "taint": {
      const entries = (await world.driver.entries(step.stack)).filter((entry) => isDeployment(entry) && !entry.delete);
      const entry = entries[step.at % Math.max(1, entries.length)];
      return entry === undefined ? undefined : world.driver.taint(step.stack, entry.urn);
    }
    case "export":
      model.stacks[step.stack].exported = await world.driver.exportState(step.stack);
      return undefined;
    case "restore":
      return restore(step.stack, model, world);
    case "rename stack": {
      const stack = model.stacks[step.stack];
      stack.renames += 1;
      // An export contains the name of its stack.
      stack.exported = undefined;
      return world.driver.rename(step.stack, `${step.stack}-${stack.renames}`);
    }
    case "import":
      return takeIn(step, model, world);
    case "elsewhere":
      return elsewhere(step, model, world);
  }
}

async function up(step: UpStep, model: Model, world: World): Promise<void> {
  const { stack } = step;
  const before = model.stacks[stack].program;
  const program = step.edits.reduce(edited, before);
  const stackName = world.driver.nameOf(stack);
  const urns = program.deployments.map((declared) => urnIn(stackName, declared));
  const entries = (await world.driver.entries(stack)).filter((entry) => isDeployment(entry) && !entry.delete);
  const targets = urns.length === 0 ? undefined : step.targets?.map((at) => urns[at % urns.length] ?? "");
  const replaced = step.replace === undefined ? undefined : entries[step.replace % Math.max(1, entries.length)];
  const choices: RunChoices = {
    ...(targets === undefined ? {} : { targets: [...new Set(targets)] }),
    ...(replaced === undefined ? {} : { replace: replaced.urn }),
    ...(step.refresh === true ? { refresh: true } : {}),
  };
  const seen = await observe({
    model,
    world,
    stack,
    program,
    trouble: step.trouble,
    isPartial: choices.targets !== undefined,
    preview: () => world.driver.preview(stack, program, choices),
    run: () => world.driver.up(stack, program, choices),
    continues: (preview) => preview.error === undefined || step.skipPreview === true,
  });
  if (seen === undefined) return;
  const { observed, happened } = seen;
  const { unsettled } = model.stacks[stack];
  if (observed.result.error !== undefined) {
    // After a transient failure the user retries; after a refusal, the user reverts the change.
    if (happened) model.stacks[stack].program = program;
    unsettled.add("failed run");
    return;
  }
  model.stacks[stack].program = program;
  if (choices.targets !== undefined) {
    unsettled.add("targets");
    return;
  }
  unsettled.delete("targets");
  unsettled.delete("failed run");
  if (choices.refresh === true) settleElsewhere(model, stack);
  if (unsettled.size > 0) return;
  declarationsAreMet(observed);
  // Two declarations of one name undo each other's changes at every run.
  if (program.deployments.some(({ name }) => isContested(program, name))) return;
  const next = await world.driver.preview(stack, program, {});
  const changes = next.steps.filter(({ operation }) => operation !== "same");
  if (next.error !== undefined || changes.length > 0) {
    throw new Violation("the next run isn't empty", `${next.error ?? ""} ${JSON.stringify(changes)}`);
  }
}

async function destroy(step: DestroyStep, model: Model, world: World): Promise<void> {
  const { stack } = step;
  const entries = await world.driver.entries(stack);
  const urns = [...new Set(entries.map(({ urn }) => urn))];
  const targets = urns.length === 0 ? undefined : step.targets?.map((at) => urns[at % urns.length] ?? "");
  const choices = targets === undefined ? {} : { targets: [...new Set(targets)] };
  const seen = await observe({
    model,
    world,
    stack,
    program: { deployments: [] },
    trouble: step.trouble,
    isPartial: targets !== undefined,
    preview: () => world.driver.previewDestroy(stack, choices),
    run: () => world.driver.destroy(stack, choices),
    continues: (preview) => preview.error === undefined,
  });
  if (seen !== undefined && seen.observed.result.error !== undefined) model.stacks[stack].unsettled.add("failed run");
}

async function refresh(stack: StackKey, model: Model, world: World): Promise<void> {
  const before = await world.platform();
  const result = await world.driver.refresh(stack);
  await onlyLooked(before, world, "refresh");
  if (result.error === undefined) settleElsewhere(model, stack);
}

/** After a refresh, the state includes what happened elsewhere. */
function settleElsewhere(model: Model, stack: StackKey): void {
  for (const reason of ["changed elsewhere", "taken over", "restored"] as const) {
    model.stacks[stack].unsettled.delete(reason);
  }
}

/** An older state contains deployments that are gone and lacks newer ones, which only the next refresh shows. */
async function restore(stack: StackKey, model: Model, world: World): Promise<void> {
  const { exported, unsettled } = model.stacks[stack];
  if (exported === undefined) return;
  await world.driver.importState(stack, exported);
  unsettled.add("restored");
  const entries = await world.driver.entries(stack);
  const platform = await world.platform();
  for (const { id } of entries) if (!platform.has(id)) model.deletedElsewhere.add(id);
  for (const [id, owner] of model.owners) {
    if (owner === stack && !entries.some((entry) => entry.id === id)) model.abandoned.add(id);
  }
}

async function takeIn(step: Extract<Step, { step: "import" }>, model: Model, world: World): Promise<void> {
  const { stack, resource } = step;
  const free = [...(await world.platform()).values()].filter(({ id }) => model.owners.get(id) === "elsewhere");
  const record = free[step.at % Math.max(1, free.length)];
  const { program } = model.stacks[stack];
  if (record === undefined || program.deployments.some((declared) => declared.resource === resource)) return;
  const repository = [0, 1].find((number) => repositoryUrl(number) === record.sourceConfig.repo_url) ?? 0;
  const ref = record.revisionConfig.repo_ref ?? "main";
  const declared = { resource, name: record.name, repository, ref };
  Object.assign(process.env, { GRAPHDEPLOY_BASE_URL: world.url, GRAPHDEPLOY_API_KEY: apiKey });
  const file = await importFile({
    project,
    stack: world.driver.nameOf(stack),
    resources: [
      {
        resourceName: resource,
        id: record.id,
        args: {
          name: record.name,
          sourceConfig: { repoUrl: repositoryUrl(repository) },
          sourceRevisionConfig: { repoRef: ref, graphConfigPath: "graph.json" },
        },
      },
    ],
  });
  const result = await world.driver.import(stack, file);
  // After a run that was limited to others, it may be in the state without being in the program.
  if (result.error !== undefined) return;
  model.owners.set(record.id, stack);
  model.stacks[stack].program = { ...program, deployments: [...program.deployments, declared] };
}

async function elsewhere(step: Extract<Step, { step: "elsewhere" }>, model: Model, world: World): Promise<void> {
  if (step.does === "create") {
    const response = await world.elsewhere("POST", "/v2/deployments", {
      name: step.name,
      source: "github",
      source_config: { repo_url: repositoryUrl(step.repository) },
      source_revision_config: { repo_ref: "main", graph_config_path: "graph.json" },
      secrets: [],
    });
    if (response.ok) model.owners.set(((await response.json()) as { id: string }).id, "elsewhere");
    return;
  }
  const records = [...(await world.platform()).values()];
  const record = records[step.at % Math.max(1, records.length)];
  if (record === undefined) return;
  const path = `/v2/deployments/${record.id}`;
  if (step.does === "delete") {
    await world.elsewhere("DELETE", path);
    model.deletedElsewhere.add(record.id);
  } else if (step.does === "change ref") {
    await world.elsewhere("PATCH", path, { source_revision_config: { repo_ref: "elsewhere" } });
  } else {
    await world.elsewhere("PATCH", path, {
      secrets: [...record.secrets, { name: "ADDED", value: "by somebody else" }],
    });
    model.addedElsewhere.set(record.id, new Set(["ADDED"]));
  }
  for (const key of ["blue", "green"] as const) {
    const entries = await world.driver.entries(key);
    if (entries.some(({ id }) => id === record.id)) model.stacks[key].unsettled.add("changed elsewhere");
  }
}
