import { parseDuration } from "../../../core/time.ts";
import type { Build, RevisionOrigin } from "../builds.ts";
import { buildLines } from "../logs/log-lines.ts";
import type { RevisionRecord } from "../store/records.ts";
import { isBuilt, planPhases, type RolloutVariation, scheduleFrom } from "./rollout.ts";
import { type TransitionTable, totalOf } from "./transition-settings.ts";

/** A new revision, with a schedule from the transition settings and the outcome of its build. */
export function draftOf(
  { revisionId, sequence, deploymentId, source, config }: RevisionOrigin,
  { mode, rule }: ReturnType<TransitionTable["take"]>,
  build: Build | undefined,
  now: number,
): RevisionRecord {
  const stick = rule?.stick ?? null;
  const failure = isBuilt(source) ? "BUILD_FAILED" : "DEPLOY_FAILED";
  const { phases, transitions } = scheduleOf(source, totalOf(mode), now, stick, {
    fail: rule?.fail ?? (build?.hasFailed ? failure : undefined),
    passThrough: rule?.passThrough,
    durations: mode === "immediate" ? undefined : rule?.durations,
  });
  const delay = rule?.activeDelay ?? 0;
  return {
    id: revisionId,
    sequence,
    deploymentId,
    source,
    config,
    createdAt: now,
    phases,
    transitions: mode === "manual" ? transitions.slice(0, 1) : transitions,
    moves: mode !== "manual",
    stick,
    activeDelay: delay === "never" ? null : parseDuration(delay, "activeDelay"),
    buildLines: build ? linesOf(build, buildLines(source, config)) : null,
    failureLines: rule?.logLines ?? (build?.hasFailed ? build.lines : []),
  };
}

/** The log of a build: the default lines that precede a failure, and those of the build itself. */
function linesOf({ hasFailed, lines }: Build, defaults: string[]): string[] {
  return hasFailed ? defaults.slice(0, 2) : defaults.toSpliced(2, 0, ...lines);
}

/** A schedule with variations. A status at which it sticks is added if the default schedule doesn't have it. */
function scheduleOf(source: string, total: number, start: number, stick: string | null, variation: RolloutVariation) {
  let phases = planPhases(source, total, variation);
  if (stick !== null && !phases.some(({ status }) => status === stick)) {
    phases = planPhases(source, total, { ...variation, passThrough: stick });
  }
  return { phases, transitions: scheduleFrom(phases, 0, start, stick) };
}
