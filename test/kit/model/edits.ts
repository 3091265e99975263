import type { Edit } from "./commands.ts";
import type { DeclaredDeployment, DeclaredProgram } from "./program.ts";

/**
 * The program after an edit. Two deployments under one parent never get the same resource name, which would be invalid.
 */
export function edited(program: DeclaredProgram, edit: Edit): DeclaredProgram {
  const { deployments } = program;
  if (edit.edit === "upstream") {
    const { upstream: _before, ...rest } = program;
    return edit.seed === undefined ? rest : { ...rest, upstream: { seed: edit.seed } };
  }
  if (edit.edit === "add") return withUnique(program, [...deployments, edit.deployment]);
  if (deployments.length === 0) return program;
  const index = edit.at % deployments.length;
  const changed = (change: (declared: DeclaredDeployment) => DeclaredDeployment) =>
    withUnique(
      program,
      deployments.map((declared, at) => (at === index ? change(declared) : declared)),
    );
  switch (edit.edit) {
    case "remove":
      return { ...program, deployments: deployments.filter((_declared, at) => at !== index) };
    case "change":
      return changed((declared) => ({ ...declared, ...edit.to }));
    case "drop":
      return changed(({ ...declared }) => {
        delete (declared as Record<string, unknown>)[edit.field];
        return declared;
      });
    case "rename":
      return changed((declared) => ({ ...withEarlier(declared, edit.alias), resource: edit.to }));
    case "move":
      return changed((declared) => {
        const { component: _before, ...rest } = withEarlier(declared, edit.alias);
        return edit.to === undefined ? rest : { ...rest, component: edit.to };
      });
  }
}

function withEarlier(declared: DeclaredDeployment, alias: boolean): DeclaredDeployment {
  const { earlier = [], resource, component } = declared;
  return alias ? { ...declared, earlier: [...earlier, { resource, component }] } : declared;
}

function withUnique(program: DeclaredProgram, deployments: readonly DeclaredDeployment[]): DeclaredProgram {
  const keys = deployments.map(({ resource, component }) => `${component ?? ""}/${resource}`);
  return new Set(keys).size === keys.length ? { ...program, deployments } : program;
}
