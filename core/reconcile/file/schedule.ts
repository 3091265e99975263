import type { DeclaredDeployment } from "../../declare/file/declarative-file.ts";

/** The deployments so that each comes after those that it depends on. The file has no cycles. */
export function inDependencyOrder(deployments: readonly DeclaredDeployment[]): DeclaredDeployment[] {
  const byKey = new Map(deployments.map((one) => [one.key, one]));
  const ordered = new Set<DeclaredDeployment>();
  // A stack instead of a recursion: thousands of deployments may depend on each other in a row.
  for (const first of deployments) {
    const stack = [first];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const next = top.dependsOn.map((key) => byKey.get(key)).find((one) => one !== undefined && !ordered.has(one));
      if (next === undefined) {
        ordered.add(top);
        stack.pop();
      } else stack.push(next);
    }
  }
  return [...ordered];
}

/** Deployments in progress at once, unless the caller sets another limit. */
const defaultSlots = 10;

/** Limits how many tasks are in progress at once; the others wait in order. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count = defaultSlots) {
    this.#free = count;
  }

  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
