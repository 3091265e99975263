/** The shortest text that is looked for, in characters. */
export const shortestForm = 4;

/** How many marks tell whether a form may begin with some characters, a power of two. */
const marks = 4096;

/**
 * Texts that are looked for all at once. What it costs grows with the text that is looked through, not with how many are looked for: a server is given new secrets
 * all the time and can't prepare for all of them anew.
 */
export class SecretForms {
  readonly #forms = new Set<string>();
  /** The lengths of the forms that begin alike, longest first, by a digest of their first characters. */
  readonly #lengths = new Map<number, number[]>();
  /** Whether any form begins with characters of this digest, by its last bits. */
  readonly #isMarked = new Uint8Array(marks);

  get isEmpty(): boolean {
    return this.#forms.size === 0;
  }

  /** `form` has at least {@link shortestForm} characters. */
  add(form: string): void {
    if (this.#forms.has(form)) return;
    this.#forms.add(form);
    const start = startAt(form, 0);
    this.#isMarked[start & (marks - 1)] = 1;
    const lengths = this.#lengths.get(start);
    if (!lengths) this.#lengths.set(start, [form.length]);
    else if (!lengths.includes(form.length)) lengths.splice(positionOf(lengths, form.length), 0, form.length);
  }

  /** `text` with `replacement` in the place of every form; of those that begin at one place, of the longest. */
  replaceIn(text: string, replacement: string): string {
    let result = "";
    let kept = 0;
    for (let index = 0; index + shortestForm <= text.length; ) {
      const length = this.#lengthAt(text, index);
      if (length === 0) {
        index++;
        continue;
      }
      result += text.slice(kept, index) + replacement;
      index += length;
      kept = index;
    }
    return kept === 0 ? text : result + text.slice(kept);
  }

  #lengthAt(text: string, index: number): number {
    const start = startAt(text, index);
    if (this.#isMarked[start & (marks - 1)] === 0) return 0;
    for (const length of this.#lengths.get(start) ?? []) {
      if (this.#forms.has(text.slice(index, index + length))) return length;
    }
    return 0;
  }
}

/** A digest of the four characters at `index`. */
function startAt(text: string, index: number): number {
  const first = text.charCodeAt(index) * 31 + text.charCodeAt(index + 1);
  return (Math.imul(Math.imul(first, 31) + text.charCodeAt(index + 2), 31) + text.charCodeAt(index + 3)) | 0;
}

function positionOf(lengths: readonly number[], length: number): number {
  const position = lengths.findIndex((other) => other < length);
  return position < 0 ? lengths.length : position;
}
