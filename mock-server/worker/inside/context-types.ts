/** What a library's builder of graphs makes of its arguments; only what is read here. */
interface BuilderPrototype {
  _normalizeToStateGraphInit?: (this: object, ...args: unknown[]) => { context?: unknown } | undefined;
}

const contexts = new WeakMap<object, unknown>();

/** Remembers the contexts that graphs are declared with: the library itself keeps only those that are schemas of a library of schemas. */
export function rememberContexts({ prototype }: { prototype: object }): void {
  const builder = prototype as BuilderPrototype;
  const normalize = builder._normalizeToStateGraphInit;
  if (!normalize) return;
  builder._normalizeToStateGraphInit = function (...args) {
    const init = normalize.apply(this, args);
    contexts.set(this, init?.context);
    return init;
  };
}

/** The names in a context that is declared by types only, which are gone when it runs. */
export function contextNames(builder: object | undefined): string[] {
  const context = builder && contexts.get(builder);
  const spec = typeof context === "object" && context !== null && "spec" in context ? context.spec : undefined;
  return typeof spec === "object" && spec !== null ? Object.keys(spec) : [];
}
