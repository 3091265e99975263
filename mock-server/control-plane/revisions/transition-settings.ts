import { z } from "zod";
import { parseDuration } from "../../../core/time.ts";
import { durationSchema, isDuration } from "../../kit/duration-schema.ts";
import { globMatcher } from "../../kit/glob.ts";
import { didYouMean, namingUnknownKeys } from "../../kit/unknown-names.ts";
import { underWireNames } from "../../kit/wire-names.ts";
import { phaseNames, type TransitionMode } from "./rollout.ts";

const modeSchema = z
  .string()
  .refine(isMode, 'Input should be "immediate", "manual" or "time:<duration>", for example "time:5s"')
  .transform((mode) => mode as TransitionMode);

/** An exception from the default schedule for deployments whose name matches. The first matching rule applies. */
const transitionRuleSchema = z.strictObject({
  /** Pattern for names of deployments; `*` and `?` are wildcards. */
  name: z.string(),
  mode: modeSchema.optional(),
  /** The failure with which rollouts end instead of DEPLOYED. */
  fail: z.enum(["CREATE_FAILED", "BUILD_FAILED", "DEPLOY_FAILED"]).optional(),
  /**
   * The status in which rollouts stay until advanced. A status outside the default schedule comes just before the end.
   */
  stick: z.string().min(1).optional(),
  /** A status to pass through just before the end, usually one that clients don't know. */
  passThrough: z.string().min(1).optional(),
  /** Durations of individual phases, by status. */
  durations: z.record(z.string(), durationSchema).optional(),
  /** The delay between DEPLOYED and the switch of traffic; `never` keeps the earlier revision live. @default 0 */
  activeDelay: durationSchema.or(z.literal("never")).optional(),
  /** Log lines of the failing phase, instead of the default ones. */
  logLines: z.array(z.string()).optional(),
  /** Number of revisions that the rule applies to. @default unlimited */
  times: z.int().min(1).optional(),
});

/** Adds an issue for each duration of a status that no revision of the rule enters. */
function checkDurations({ durations = {}, stick, passThrough }: Partial<CheckedRule>, context: z.RefinementCtx): void {
  const known = [
    ...phaseNames,
    ...(stick === undefined ? [] : [stick]),
    ...(passThrough === undefined ? [] : [passThrough]),
  ];
  for (const status of Object.keys(durations)) {
    if (known.includes(status)) continue;
    const message = `No revision of this rule enters ${status}${didYouMean(status, known)}`;
    context.addIssue({ code: "custom", path: ["durations", status], message });
  }
}
export type TransitionRule = z.input<typeof transitionRuleSchema>;
type CheckedRule = z.output<typeof transitionRuleSchema>;

const transitionSettingsSchema = z.strictObject({
  mode: modeSchema.optional(),
  rules: z.array(transitionRuleSchema.superRefine(checkDurations)).optional(),
});

/** Transition settings with wire names. */
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
  if (!result.success) throw new RangeError(`"${mode}" isn't a transition mode: ${result.error.issues[0]?.message}.`);
  return result.data;
}

/** The transition settings for new revisions. Existing revisions keep their schedules. */
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

  /** Replaces the given settings and leaves the others. @throws {z.ZodError} for invalid settings. */
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

  /** The mode and the rule for the next revision of a deployment; counts as a use of the rule. */
  take(name: string): { mode: TransitionMode; rule: CheckedRule | undefined } {
    const entry = this.#rules.find(
      ({ rule, matches, used }) => matches(name) && (rule.times === undefined || used < rule.times),
    );
    if (entry) entry.used++;
    return { mode: entry?.rule.mode ?? this.#mode, rule: entry?.rule };
  }

  /** Duration of each step of a deletion, in milliseconds: a fifth of a rollout; `null` in the mode `manual`. */
  deletionStep(): number | null {
    if (this.#mode === "manual") return null;
    return Math.round(totalOf(this.#mode) / 5);
  }
}

/** Duration of a rollout in this mode, in milliseconds. */
export function totalOf(mode: TransitionMode): number {
  return mode.startsWith("time:") ? parseDuration(mode.slice(5), "mode") : 0;
}
