import * as pulumi from "@pulumi/pulumi";
import { Deployment } from "../../../provider/deployment.ts";
import { Provider } from "../../../provider/provider.ts";
import type { DynamicProcess } from "../pulumi/dynamic-process.ts";
import type { ProviderCall } from "../pulumi/engine/provider-calls.ts";
import { type Outcome, PulumiStack } from "../pulumi/engine/stack.ts";
import type { ResourceState } from "../pulumi/engine/state.ts";
import { concealed } from "../pulumi/engine/values.ts";
import { startLogServer } from "../pulumi/log-server.ts";
import type { StackKey } from "./commands.ts";
import { project } from "./declared.ts";
import type { Driver, Result, RunChoices } from "./driver.ts";
import { type DeclaredProgram, declare } from "./program.ts";
import { ProviderProcesses } from "./provider-processes.ts";

/**
 * The small engine, with the real resource class in this process and Pulumi's provider process.
 *
 * @param options.folder where the built package is installed
 */
export async function startSmallDriver(options: {
  folder: string;
  environment: Readonly<Record<string, string>>;
  onCall?: (call: ProviderCall) => void;
}): Promise<Driver> {
  const { onCall = () => {} } = options;
  const logs = await startLogServer();
  const processes = await ProviderProcesses.start({ ...options, engine: logs.address });
  let process: DynamicProcess;
  const stackNamed = (name: string) => new PulumiStack({ project, name, process: () => process, onCall });
  const fresh = () => ({ blue: stackNamed("blue"), green: stackNamed("green") });
  let stacks: Record<StackKey, PulumiStack> = fresh();

  const command = async (run: () => Promise<Outcome>): Promise<Result> => {
    process = await processes.forCommand();
    const seen = logs.lines.length;
    const { steps, error } = await run();
    const warnings = logs.lines.slice(seen).filter(({ severity }) => severity === "warning");
    return { steps: steps.filter(({ isUndecided }) => isUndecided !== true), error, warnings };
  };
  const programOf = (program: DeclaredProgram) => () => declare(program, { pulumi, Deployment, Provider });
  const choicesOf = ({ replace, ...rest }: RunChoices) => ({
    ...rest,
    ...(replace === undefined ? {} : { replace: [replace] }),
  });

  return {
    async reset() {
      stacks = fresh();
    },
    nameOf: (stack) => stacks[stack].name,
    preview: (stack, program, choices) => command(() => stacks[stack].preview(programOf(program), choicesOf(choices))),
    up: (stack, program, choices) => command(() => stacks[stack].up(programOf(program), choicesOf(choices))),
    previewDestroy: (stack, choices) => command(() => stacks[stack].previewDestroy(choices)),
    destroy: (stack, choices) => command(() => stacks[stack].destroy(choices)),
    refresh: (stack) => command(() => stacks[stack].refresh()),
    import: (stack, file) => command(() => stacks[stack].import(file.resources)),
    async taint(stack, urn) {
      stacks[stack].taint(urn);
    },
    async rename(stack, name) {
      stacks[stack].rename(name);
    },
    exportState: async (stack) => JSON.parse(JSON.stringify(stacks[stack].resources)),
    async importState(stack, state) {
      stacks[stack].resources = structuredClone(state) as readonly ResourceState[];
    },
    async entries(stack) {
      return stacks[stack].resources.filter(({ custom, external }) => custom && !external);
    },
    stateText: async (stack) => JSON.stringify(concealed(stacks[stack].resources as unknown)),
    kill: () => processes.kill(),
    async [Symbol.asyncDispose]() {
      await processes[Symbol.asyncDispose]();
      await logs[Symbol.asyncDispose]();
    },
  };
}
