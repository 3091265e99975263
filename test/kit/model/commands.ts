import fc from "fast-check";
import type { DeclaredDeployment } from "./program.ts";

/** The model's two stacks, which share a platform and a workspace. */
export type StackKey = "blue" | "green";

/**
 * A failure during a run: the connection breaks at one of its requests, counted from 1, and the provider's process may
 * die there; or a rollout fails.
 */
export type Trouble =
  | { readonly nth: number; readonly moment: "before" | "after" | "during"; readonly kill: boolean }
  | { readonly rollout: "BUILD_FAILED" | "DEPLOY_FAILED" };

/** A change of a program. Deployments are addressed by index, modulo their number; without any, nothing changes. */
export type Edit =
  | { readonly edit: "add"; readonly deployment: DeclaredDeployment }
  | { readonly edit: "remove"; readonly at: number }
  | { readonly edit: "change"; readonly at: number; readonly to: Partial<DeclaredDeployment> }
  | { readonly edit: "drop"; readonly at: number; readonly field: OptionalField }
  | { readonly edit: "rename"; readonly at: number; readonly to: string; readonly alias: boolean }
  | { readonly edit: "move"; readonly at: number; readonly to: string | undefined; readonly alias: boolean }
  | { readonly edit: "upstream"; readonly seed: number | undefined };

export type OptionalField = Exclude<
  keyof DeclaredDeployment,
  "resource" | "name" | "repository" | "ref" | "component" | "earlier"
>;

/** One step of a sequence: plain data, so that a sequence can be printed, kept and replayed. */
export type Step =
  | {
      readonly step: "up";
      readonly stack: StackKey;
      readonly edits: readonly Edit[];
      /** Indexes of the deployments that the run is limited to. */
      readonly targets?: readonly number[];
      readonly replace?: number;
      readonly refresh?: boolean;
      /** Run even where the preview fails. */
      readonly skipPreview?: boolean;
      readonly trouble?: Trouble;
    }
  | {
      readonly step: "destroy";
      readonly stack: StackKey;
      readonly targets?: readonly number[];
      readonly trouble?: Trouble;
    }
  | { readonly step: "refresh"; readonly stack: StackKey }
  | { readonly step: "taint"; readonly stack: StackKey; readonly at: number }
  | { readonly step: "export"; readonly stack: StackKey }
  /** Imports the state of the last export, which may be outdated. */
  | { readonly step: "restore"; readonly stack: StackKey }
  | { readonly step: "rename stack"; readonly stack: StackKey }
  | { readonly step: "import"; readonly stack: StackKey; readonly resource: string; readonly at: number }
  | { readonly step: "elsewhere"; readonly does: "delete" | "change ref" | "add entry"; readonly at: number }
  | { readonly step: "elsewhere"; readonly does: "create"; readonly name: string; readonly repository: number };

const resources = ["one", "two", "three"] as const;
const names = ["agent-a", "agent-b", "agent-c"] as const;
const refs = ["main", "next"] as const;
/** Secrets of the model, which only the platform and a program may contain. */
export const secretValues = ["sk-first-secret-value", "sk-second-secret-value"] as const;

const place = fc.nat({ max: 3 });
const yes = fc.constant(true);
/** A value with a probability of one in `times`, else `undefined`, to which it shrinks. */
function onceIn<Value>(times: number, value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> {
  return fc.oneof(
    { withCrossShrink: true },
    { weight: times - 1, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: value },
  );
}
const sometimes = <Value>(value: fc.Arbitrary<Value>) => onceIn(4, value);
const rarely = <Value>(value: fc.Arbitrary<Value>) => onceIn(12, value);

const optional = {
  env: fc.record({ MODE: fc.constantFrom("one", "two") }),
  secrets: fc.record({ MODEL_KEY: fc.constantFrom(...secretValues) }),
  displayName: fc.constantFrom("Agent", "Other agent"),
  adopt: fc.boolean(),
  wait: fc.boolean(),
  deleteTracingProject: fc.boolean(),
  trigger: fc.nat({ max: 2 }),
  fromUpstream: fc.boolean(),
  provider: fc.boolean(),
  protect: fc.boolean(),
  retainOnDelete: fc.boolean(),
  deleteBeforeReplace: fc.boolean(),
  ignoreChanges: fc.constantFrom(["env"], ["sourceRevisionConfig.repoRef"], ["sourceConfig"]),
  replaceOnChanges: fc.constantFrom(["env"], ["sourceRevisionConfig.repoRef"], ["*"]),
} satisfies Record<OptionalField, fc.Arbitrary<unknown>>;

const settings = {
  name: fc.constantFrom(...names),
  repository: fc.nat({ max: 1 }),
  ref: fc.constantFrom(...refs),
};

/** A copy as it would be read from a JSON file, without `undefined`. */
function plain<Fields extends object>(fields: Fields): Fields {
  return JSON.parse(JSON.stringify(fields));
}

const deployment: fc.Arbitrary<DeclaredDeployment> = fc
  .record({
    resource: fc.constantFrom(...resources),
    ...settings,
    ...Object.fromEntries(
      Object.entries(optional).map(([field, value]) => [field, rarely(value as fc.Arbitrary<unknown>)]),
    ),
    adopt: sometimes(yes),
    fromUpstream: sometimes(yes),
    component: rarely(fc.constantFrom("group", "team")),
  })
  .map((fields) => plain(fields) as DeclaredDeployment);

/** One field with a new value. */
const oneChange: fc.Arbitrary<Partial<DeclaredDeployment>> = fc.oneof(
  ...Object.entries({ ...settings, ...optional }).map(([field, value]) =>
    (value as fc.Arbitrary<unknown>).map((given) => ({ [field]: given }) as Partial<DeclaredDeployment>),
  ),
);

const edit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ edit: fc.constant("add" as const), deployment }) },
  { weight: 2, arbitrary: fc.record({ edit: fc.constant("remove" as const), at: place }) },
  { weight: 5, arbitrary: fc.record({ edit: fc.constant("change" as const), at: place, to: oneChange }) },
  {
    weight: 2,
    arbitrary: fc.record({
      edit: fc.constant("drop" as const),
      at: place,
      field: fc.constantFrom(...(Object.keys(optional) as OptionalField[])),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      edit: fc.constant("rename" as const),
      at: place,
      to: fc.constantFrom(...resources),
      alias: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      edit: fc.constant("move" as const),
      at: place,
      to: fc.constantFrom("group", "team", undefined),
      alias: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      edit: fc.constant("upstream" as const),
      seed: fc.option(fc.nat({ max: 2 }), { nil: undefined, freq: 6 }),
    }),
  },
);

const trouble: fc.Arbitrary<Trouble> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      nth: fc.integer({ min: 1, max: 8 }),
      moment: fc.constantFrom("before" as const, "after" as const, "during" as const),
      kill: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ rollout: fc.constantFrom("BUILD_FAILED" as const, "DEPLOY_FAILED" as const) }) },
);

const stack = fc.constantFrom<StackKey>("blue", "blue", "green");
const targets = fc.array(place, { minLength: 1, maxLength: 2 });

/** Every kind of step, the ordinary ones more often. */
export const step: fc.Arbitrary<Step> = fc
  .oneof<fc.WeightedArbitrary<Step>[]>(
    {
      weight: 14,
      arbitrary: fc.record({
        step: fc.constant("up" as const),
        stack,
        edits: fc.array(edit, { maxLength: 3, size: "max" }),
        targets: rarely(targets),
        replace: onceIn(8, place),
        refresh: rarely(yes),
        skipPreview: sometimes(yes),
        trouble: rarely(trouble),
      }) as fc.Arbitrary<Step>,
    },
    {
      weight: 2,
      arbitrary: fc.record({
        step: fc.constant("destroy" as const),
        stack,
        targets: sometimes(targets),
        trouble: rarely(trouble),
      }) as fc.Arbitrary<Step>,
    },
    { weight: 1, arbitrary: fc.record({ step: fc.constant("refresh" as const), stack }) },
    { weight: 1, arbitrary: fc.record({ step: fc.constant("taint" as const), stack, at: place }) },
    { weight: 1, arbitrary: fc.record({ step: fc.constantFrom("export" as const, "restore" as const), stack }) },
    { weight: 1, arbitrary: fc.record({ step: fc.constant("rename stack" as const), stack }) },
    {
      weight: 1,
      arbitrary: fc.record({
        step: fc.constant("import" as const),
        stack,
        resource: fc.constantFrom(...resources),
        at: place,
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        step: fc.constant("elsewhere" as const),
        does: fc.constantFrom("delete" as const, "change ref" as const, "add entry" as const),
        at: place,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        step: fc.constant("elsewhere" as const),
        does: fc.constant("create" as const),
        name: fc.constantFrom(...names),
        repository: fc.nat({ max: 1 }),
      }),
    },
  )
  .map(plain);
