import { deploymentType } from "../../../provider/dynamic.ts";
import type { Entry } from "./driver.ts";
import { componentType, type DeclaredDeployment, type DeclaredProgram } from "./program.ts";

/** The project of both stacks. */
export const project = "program";

/** Whether an entry of a state is a deployment. */
export function isDeployment({ type }: Pick<Entry, "type">): boolean {
  return type === deploymentType;
}

export function urnIn(
  stack: string,
  { resource, component }: Pick<DeclaredDeployment, "resource" | "component">,
): string {
  const types = component === undefined ? deploymentType : `${componentType}$${deploymentType}`;
  return `urn:pulumi:${stack}::${project}::${types}::${resource}`;
}

/** The URNs of a declaration: the current one, then those of its aliases. */
export function urnsOf(stack: string, declared: DeclaredDeployment): string[] {
  return [declared, ...(declared.earlier ?? [])].map(({ resource, component }) =>
    urnIn(stack, { resource, component } as DeclaredDeployment),
  );
}

/** The declaration that continues a resource of the state. */
export function continuationOf(program: DeclaredProgram, stack: string, urn: string): DeclaredDeployment | undefined {
  const direct = program.deployments.find((declared) => urnIn(stack, declared) === urn);
  return direct ?? program.deployments.find((declared) => urnsOf(stack, declared).includes(urn));
}

/** Whether two declarations of a program have the same name on the platform and so contradict each other. */
export function isContested(program: DeclaredProgram, name: string): boolean {
  return program.deployments.filter((declared) => declared.name === name).length > 1;
}
