import { readdirSync, readFileSync } from "node:fs";

/** The ids of a process and its descendants (Linux only). */
function processTree(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync("/proc")) {
    const parent = /^\d+$/.test(name) ? parentOf(name) : undefined;
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const tree = [root];
  for (const process of tree) tree.push(...(children.get(process) ?? []));
  return tree;
}

function parentOf(process: string): number | undefined {
  const text = read(`/proc/${process}/stat`);
  // The command name comes first and may contain spaces and parentheses.
  return text === undefined ? undefined : Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]);
}

/** Memory of a process and its descendants in MiB: resident, and with shared pages counted proportionally. */
export function memoryOf(root: number): { resident: number; proportional: number } {
  let resident = 0;
  let proportional = 0;
  for (const process of processTree(root)) {
    const text = read(`/proc/${process}/smaps_rollup`) ?? "";
    resident += Number(/^Rss:\s+(\d+)/m.exec(text)?.[1] ?? 0) / 1024;
    proportional += Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0) / 1024;
  }
  return { resident, proportional };
}

/** The contents of a file; empty if it no longer exists. */
function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
