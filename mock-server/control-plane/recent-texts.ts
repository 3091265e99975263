/** A text that is right from one moment to another, in milliseconds since the epoch. */
export interface TimedText<Entry> {
  /** What the text is of. */
  record: Entry;
  text: string;
  from: number;
  /** Exclusive. */
  until: number;
}

/** How many texts are kept at least, once there were so many. */
const mostTexts = 512;

/** The texts of the records that were asked for last: of many thousands, few are asked for again and again. */
export class RecentTexts<Entry extends { id: string }> {
  #young = new Map<string, TimedText<Entry>>();
  #old = new Map<string, TimedText<Entry>>();

  /** The text of a record, if it is kept and right at `now`. */
  get(record: Entry, now: number): string | undefined {
    let known = this.#young.get(record.id);
    if (!known) {
      known = this.#old.get(record.id);
      if (known) this.set(known);
    }
    return known?.record === record && known.from <= now && now < known.until ? known.text : undefined;
  }

  set(text: TimedText<Entry>): void {
    if (this.#young.size >= mostTexts) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(text.record.id, text);
  }
}
