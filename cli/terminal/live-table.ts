import { styleText } from "node:util";
import cliTruncate from "cli-truncate";
import { createLogUpdate } from "log-update";
import stringWidth from "string-width";
import type { Outcome } from "../../core/reconcile/file/outcome.ts";
import type { ProgressEvent } from "../../core/rollout/waiting.ts";
import { cell, duration, durationWidth, oneLine, outcomeTable, symbols } from "./outcome-table.ts";
import type { Expected, Presenter } from "./presenter.ts";
import { outcomeNotes, progressText } from "./progress-text.ts";

const redrawMs = 200;
const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] as const;

/** What one line shows. */
interface Row {
  key: string;
  status: string;
  note: string;
  /** Since the epoch, in milliseconds; `undefined` before anything happened. */
  startedAtMs: number | undefined;
  outcome: Outcome | undefined;
}

/** A table that is redrawn in place: a line for each deployment, as many as fit. What ended gets a table of its own at the end. */
export class LiveTable implements Presenter {
  readonly #text: (text: string) => string;
  readonly #rows: Map<string, Row>;
  readonly #log = createLogUpdate(process.stdout);
  readonly #timer: NodeJS.Timeout;
  #frame = 0;

  constructor(expected: readonly Expected[], text: (text: string) => string) {
    this.#text = text;
    this.#rows = new Map(
      expected.map(({ key, dependsOn }) => {
        const note = dependsOn.length === 0 ? "" : `after ${dependsOn.join(", ")}`;
        return [key, { key, status: "waiting", note, startedAtMs: undefined, outcome: undefined }];
      }),
    );
    this.#timer = setInterval(() => this.#draw(), redrawMs);
    this.#draw();
  }

  progress(key: string, event: ProgressEvent): void {
    const row = this.#row(key);
    row.startedAtMs ??= Date.now();
    if (event.type === "status") {
      row.status = event.status;
      row.note = "";
      return;
    }
    row.status = statusAfter(event, row.status);
    row.note = progressText(event);
    if (event.type === "warning") this.#log.persist(this.#text(`${key}: ${row.note}`));
  }

  outcome(outcome: Outcome): void {
    this.#row(outcome.key).outcome = outcome;
  }

  interrupted(): void {
    this.#log.persist("Interrupted: nothing further is started. Press Ctrl-C again to end at once.");
  }

  end(outcomes: readonly Outcome[]): void {
    this.close();
    process.stdout.write(`${outcomeTable(outcomes, this.#text, columns())}\n`);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#log.clear();
    this.#log.done();
  }

  #row(key: string): Row {
    const known = this.#rows.get(key) ?? { key, status: "", note: "", startedAtMs: undefined, outcome: undefined };
    this.#rows.set(key, known);
    return known;
  }

  #draw(): void {
    this.#frame = (this.#frame + 1) % frames.length;
    const all = [...this.#rows.values()];
    // One line stays free below the table, where the cursor is.
    const height = Math.max(1, (process.stdout.rows ?? 24) - 1);
    const shown = all.length <= height ? all : rowsToShow(all, height - 1);
    const lines = shown.map((row) => this.#line(row, all));
    if (shown.length < all.length) lines.push(restLine(all.filter((row) => !shown.includes(row))));
    this.#log(lines.map((line) => cliTruncate(line, columns())).join("\n"));
  }

  #line({ key, status, note, startedAtMs, outcome }: Row, all: readonly Row[]): string {
    const keyWidth = Math.min(Math.max(...all.map((row) => stringWidth(row.key))), Math.floor(columns() / 3));
    const elapsedMs = outcome?.durationMs ?? (startedAtMs === undefined ? 0 : Date.now() - startedAtMs);
    const spinner = startedAtMs === undefined ? "·" : (frames[this.#frame] ?? "·");
    const [symbol, color] = outcome === undefined ? ([spinner, "cyan"] as const) : symbols[outcome.result];
    return [
      styleText(color, symbol),
      cell(this.#text(key), keyWidth),
      cell(outcome?.result ?? this.#text(status), statusWidth),
      duration(elapsedMs).padStart(durationWidth),
      styleText("dim", oneLine(this.#text(outcome === undefined ? note : outcomeNotes(outcome).join("; ")))),
    ].join(" ");
  }
}

/** Columns of the longest status, `AWAITING_DEPLOY`. */
const statusWidth = 15;

/** The last column stays free: some terminals wrap as soon as it is written. */
function columns(): number {
  return Math.max(10, (process.stdout.columns || 80) - 1);
}

function statusAfter(event: ProgressEvent, status: string): string {
  switch (event.type) {
    case "deployment":
      return event.created ? "created" : "found";
    case "switching":
      return "DEPLOYED";
    case "deleting":
      return "deleting";
    default:
      return status === "waiting" ? "started" : status;
  }
}

/** The rows to show where not all fit: what is in progress, then what failed, what waits, what is live; in the order of all rows. */
function rowsToShow(rows: readonly Row[], count: number): Row[] {
  const rank = ({ startedAtMs, outcome }: Row) => {
    if (outcome === undefined) return startedAtMs === undefined ? 2 : 0;
    return outcome.result === "failed" ? 1 : 3;
  };
  const chosen = new Set(rows.toSorted((a, b) => rank(a) - rank(b)).slice(0, count));
  return rows.filter((row) => chosen.has(row));
}

function restLine(rows: readonly Row[]): string {
  const states = rows.map(({ status, outcome }) => outcome?.result ?? status);
  const counts = [...new Set(states)].map((state) => `${states.filter((other) => other === state).length} ${state}`);
  return styleText("dim", `… ${rows.length} more: ${counts.join(", ")}`);
}
