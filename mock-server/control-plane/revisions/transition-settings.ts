import { z } from "zod";
import { parseDuration } from "../../../core/duration.ts";
import { durationSchema, isDuration } from "../../kit/duration-schema.ts";
import { globMatcher } from "../../kit/glob.ts";
import { didYouMean, namingUnknownKeys } from "../../kit/likely-name.ts";
import { underWireNames } from "../../kit/wire-names.ts";
import { phaseNames, type TransitionMode } from "./rollout.ts";

const modeSchema = z
  .string()
  .refine(isMode, 'Input should be "immediate", "manual" or "time:<duration>", for example "time:5s"')
  .transform((mode) => mode as TransitionMode);

/** One exception from the default schedule, for deployments whose name matches. The first rule that matches counts. */
const transitionRuleSchema = z.strictObject({
  /** Name of the deployments it is for; `*` and `?` are wild. */
  name: z.string(),
  mode: modeSchema.optional(),
  /** End here instead of in DEPLOYED. */
  fail: z.enum(["CREATE_FAILED", "BUILD_FAILED", "DEPLOY_FAILED"]).optional(),
  /** Stay in this status until advanced. A status outside the default schedule is entered just before the end. */
  stick: z.string().min(1).optional(),
  /** A status, usually one that no client knows, to pass through just before the end. */
  passThrough: z.string().min(1).optional(),
  /** Duration of single phases, by status. */
  durations: z.record(z.string(), durationSchema).optional(),
  /** How long after DEPLOYED the revision becomes the active one; `never` keeps the old one. Default: at once. */
  activeDelay: durationSchema.or(z.literal("never")).optional(),
  /** Lines in the log of the phase that fails, instead of the default ones. */
  logLines: z.array(z.string()).optional(),
  /** How many revisions it is for; then it is out of use. */
  times: z.int().min(1).optional(),
});

/** @throws an issue for a duration of a status that no revision of the rule goes through. */
function checkDurations({ durations = {}, stick, passThrough }: Partial<CheckedRule>, context: z.RefinementCtx): void {
  const known = [
    ...phaseNames,
    ...(stick === undefined ? [] : [stick]),
    ...(passThrough === undefined ? [] : [passThrough]),
  ];
  for (const status of Object.keys(durations)) {
    if (known.includes(status)) continue;
    const message = `No revision of this rule is ever ${status}${didYouMean(status, known)}`;
    context.addIssue({ code: "custom", path: ["durations", status], message });
  }
}
export type TransitionRule = z.input<typeof transitionRuleSchema>;
type CheckedRule = z.output<typeof transitionRuleSchema>;

const transitionSettingsSchema = z.strictObject({
  mode: modeSchema.optional(),
  rules: z.array(transitionRuleSchema.superRefine(checkDurations)).optional(),
});

/** Transition settings as they go over the wire. */
export const wireTransitionSettingsSchema = z.strictObject({
  mode: modeSchema.optional(),
  rules: z.array(underWireNames(transitionRuleSchema).superRefine(checkDurations)).optional(),
});
export type TransitionSettings = z.input<typeof transitionSettingsSchema>;

function isMode(mode: string): boolean {
  return mode === "immediate" || mode === "manual" || (mode.startsWith("time:") && isDuration(mode.slice(5)));
}

/** Checks a mode given as text. @throws {RangeError} for anything else. */
export function parseTransitionMode(mode: string): TransitionMode {
  const result = modeSchema.safeParse(mode);
  if (!result.success) throw new RangeError(`"${mode}" is no way to move: ${result.error.issues[0]?.message}.`);
  return result.data;
}

/** How new revisions move. Revisions that exist already keep the schedule they were given. */
export class TransitionTable {
  readonly #initialMode: TransitionMode;
  #mode: TransitionMode;
  #rules: { rule: CheckedRule; matches: (name: string) => boolean; used: number }[] = [];

  constructor(mode: TransitionMode) {
    this.#initialMode = mode;
    this.#mode = mode;
  }

  get(): { mode: TransitionMode; rules: TransitionRule[] } {
    return { mode: this.#mode, rules: this.#rules.map(({ rule }) => rule) };
  }

  /** Replaces what is given; what is left out stays. @throws {z.ZodError} for settings of another shape. */
  set(settings: TransitionSettings): void {
    const { mode, rules } = transitionSettingsSchema.parse(settings, namingUnknownKeys);
    if (mode !== undefined) this.#mode = mode;
    if (rules !== undefined) {
      this.#rules = rules.map((rule) => ({ rule, matches: globMatcher(rule.name), used: 0 }));
    }
  }

  reset(): void {
    this.#mode = this.#initialMode;
    this.#rules = [];
  }

  /** The mode and the rule for the next revision of a deployment of this name; counts as a use of the rule. */
  take(name: string): { mode: TransitionMode; rule: CheckedRule | undefined } {
    const entry = this.#rules.find(
      ({ rule, matches, used }) => matches(name) && (rule.times === undefined || used < rule.times),
    );
    if (entry) entry.used++;
    return { mode: entry?.rule.mode ?? this.#mode, rule: entry?.rule };
  }

  /** How long each step of a deletion takes, in milliseconds: a fifth of a rollout; `null` where only an advance moves it. */
  deletionStep(): number | null {
    if (this.#mode === "manual") return null;
    return Math.round(totalOf(this.#mode) / 5);
  }
}

/** Milliseconds that a rollout takes in this mode. */
export function totalOf(mode: TransitionMode): number {
  return mode.startsWith("time:") ? parseDuration(mode.slice(5), "mode") : 0;
}
