import { styleText } from "node:util";
import cliTruncate from "cli-truncate";
import stringWidth from "string-width";
import type { Outcome } from "../../core/reconcile/file/outcome.ts";
import { formatDuration } from "../../core/time.ts";
import { outcomeNotes, outcomesLine } from "./progress-text.ts";

/** Symbol and color of each result. */
export const symbols = {
  created: ["✔", "green"],
  updated: ["✔", "green"],
  unchanged: ["✔", "dim"],
  deleted: ["✔", "green"],
  failed: ["✖", "red"],
  skipped: ["-", "yellow"],
  interrupted: ["!", "yellow"],
} as const;

/** Columns of the longest result, `interrupted`. */
const resultWidth = 11;
/** Columns of the longest duration, `59m 59s`. */
export const durationWidth = 7;

/**
 * The end of a run: a line for each deployment, below it what doesn't fit beside it, then the failures in full, and a
 * line that sums it up.
 * @param width in columns
 */
export function outcomeTable(outcomes: readonly Outcome[], text: (text: string) => string, width: number): string {
  const keyWidth = Math.min(Math.max(1, ...outcomes.map(({ key }) => stringWidth(key))), Math.floor(width / 2));
  const lines = outcomes.flatMap((outcome) => {
    const { key, result, durationMs } = outcome;
    const [symbol, color] = symbols[result];
    const elapsed = duration(durationMs).padStart(durationWidth);
    const row = `${styleText(color, symbol)} ${cell(text(key), keyWidth)} ${cell(result, resultWidth)} ${elapsed}`;
    const notes = isFailure(outcome) ? [] : outcomeNotes(outcome).map(text);
    const whole = [row, ...notes].join(" ");
    return stringWidth(whole) <= width ? [whole.trimEnd()] : [row.trimEnd(), ...notes.map((note) => `  ${note}`)];
  });
  const failures = outcomes.filter(isFailure).map(({ key, result, error }) => {
    const verb = result === "failed" ? "failed" : "was skipped";
    return `\n${text(`${key} ${verb}: ${error?.message}`).trimEnd()}`;
  });
  return [...lines, ...failures, "", outcomesLine(outcomes)].join("\n");
}

function isFailure({ result }: Outcome): boolean {
  return result === "failed" || result === "skipped";
}

/** Nothing for what took no noticeable time. */
export function duration(ms: number): string {
  return ms < 1_000 ? "" : formatDuration(ms);
}

/** The first line of a text, of exactly this many columns. */
export function cell(text: string, width: number): string {
  const truncated = cliTruncate(oneLine(text), width);
  return truncated + " ".repeat(Math.max(0, width - stringWidth(truncated)));
}

export function oneLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}
