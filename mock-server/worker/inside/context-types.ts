/** The part of a library's graph builder that is read here. */
interface BuilderPrototype {
  _normalizeToStateGraphInit?: (this: object, ...args: unknown[]) => { context?: unknown } | undefined;
}

const contexts = new WeakMap<object, unknown>();

/** Remembers the declared contexts of graphs: the library itself only keeps those with schemas of a schema library. */
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

/** The field names of a context that is declared by types only; the types don't exist at run time. */
export function contextNames(builder: object | undefined): string[] {
  const context = builder && contexts.get(builder);
  const spec = typeof context === "object" && context !== null && "spec" in context ? context.spec : undefined;
  return typeof spec === "object" && spec !== null ? Object.keys(spec) : [];
}
