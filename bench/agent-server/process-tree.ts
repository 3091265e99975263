import { readdirSync, readFileSync } from "node:fs";

/** A process and all that it has started, of which Linux knows. */
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
  // The name of the command, which may have spaces and parentheses, comes before.
  return text === undefined ? undefined : Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]);
}

/** Memory of a process and all that it has started, in MiB: resident, and with shared pages counted by their share. */
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

/** The text of a file that may be gone by now. */
function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
