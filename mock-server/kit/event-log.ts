import { type Frame, LogReader, minEvents, type ReaderOptions } from "./log-reader.ts";

/** Limits of an event log, in characters. */
export interface EventLogLimits {
  /** Maximum length of the events that can be replayed. @default 4 Mi */
  replay: number;
  /**
   * Maximum lag of a reader. A reader that lags further behind, and by more than a few events, is cut off once it reads
   * nothing for 250 ms or lags 16 times as far: graphs send faster than clients read, and the events of one turn arrive
   * together.
   * @default 8 Mi
   */
  lag: number;
}

export const defaultLimits: EventLogLimits = { replay: 4 * 1024 * 1024, lag: 8 * 1024 * 1024 };

/** Stores the events of a log beyond the process. */
export interface EventArchive {
  /** Stores further events, and may drop those before number `oldest`. Atomic: stores nothing when it throws. */
  append(frames: readonly Frame[], oldest: number): void;
}

export interface EventLogOptions {
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Whether events can be replayed, and have ids. */
  keeps: boolean;
  limits?: EventLogLimits;
  /** Stores events before readers get them. @default none */
  archive?: EventArchive | undefined;
  /** Earlier events from the archive. */
  frames?: readonly Frame[];
  /** The number of the last event so far, kept or not. @default that of the last of `frames`, or 0 */
  lastNumber?: number;
  /** The text of an event that is stored and sent. @default an event of a stream of server-sent events */
  format?: (number: number, event: string, data: string) => string;
  /** Called with the error when events can't be stored; the log then ends before them. @default prints it on stderr */
  onDefect?: (error: unknown) => void;
}

export interface ReadOptions extends ReaderOptions {
  /** Replays the events after this id; `-` and `-1` mean from the beginning. Absent: only new events. */
  after?: string | undefined;
  /** Only events of these modes, and those of mode `always`. @default all that the reader accepts */
  modes?: readonly string[] | undefined;
}

interface Published {
  frame: Frame;
  event: string;
  data: string;
}

/** The events of a run, or of a thread, for any number of readers at any pace. */
export class EventLog {
  readonly #keeps: boolean;
  readonly #limits: EventLogLimits;
  readonly #archive: EventArchive | undefined;
  readonly #onDefect: (error: unknown) => void;
  readonly #format: NonNullable<EventLogOptions["format"]>;
  readonly #readers = new Set<LogReader>();
  #frames: Frame[] = [];
  /** How many of the first frames are no longer kept. */
  #dropped = 0;
  #replaySize = 0;
  #lastNumber = 0;
  #hasEnded = false;
  /** Events that wait for the archive. */
  #unwritten: Published[] = [];
  readonly #listeners: ((event: string, data: string) => void)[] = [];

  constructor({
    now,
    keeps,
    limits = defaultLimits,
    archive,
    frames = [],
    lastNumber = frames.at(-1)?.number ?? 0,
    format = (number, event, data) => `event: ${event}\ndata: ${data}\n${keeps ? `id: ${now()}-${number}\n` : ""}\n`,
    onDefect = console.error,
  }: EventLogOptions) {
    this.#keeps = keeps;
    this.#limits = limits;
    this.#archive = archive;
    this.#format = format;
    this.#onDefect = onDefect;
    for (const frame of frames) this.#keep(frame);
    this.#lastNumber = lastNumber;
  }

  /** Length of the events that can be replayed, in characters. */
  get replaySize(): number {
    return this.#replaySize;
  }

  /** Number of the last event. */
  get lastNumber(): number {
    return this.#lastNumber;
  }

  get hasReaders(): boolean {
    return this.#readers.size > 0;
  }

  /** The events that can be replayed. */
  get kept(): readonly Frame[] {
    this.flush();
    return this.#compacted();
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Calls `listener` with every event from now on, even without readers. */
  onPublish(listener: (event: string, data: string) => void): void {
    this.#listeners.push(listener);
  }

  /** Sends an event; `data` is JSON. Events after the end are dropped. */
  publish(mode: string, event: string, data: string): void {
    if (this.#hasEnded) return;
    if (!this.#keeps && this.#readers.size === 0) {
      this.#notify(event, data);
      return;
    }
    const number = ++this.#lastNumber;
    const published = { frame: { number, mode, text: this.#format(number, event, data) }, event, data };
    if (!this.#archive) this.#deliver(published);
    else if (this.#unwritten.push(published) === 1) setImmediate(() => this.flush());
  }

  /** Stores and sends published events now instead of in the next turn of the event loop. */
  flush(): void {
    const published = this.#unwritten;
    if (published.length === 0) return;
    this.#unwritten = [];
    const frames = published.map(({ frame }) => frame);
    for (const frame of frames) this.#keep(frame);
    try {
      this.#archive?.append(frames, this.#frames[this.#dropped]?.number ?? 0);
    } catch (error) {
      this.#onDefect(error);
      this.#frames = [];
      this.#dropped = 0;
      for (const reader of this.#readers) reader.cut("The events of the run can't be stored any longer.");
      this.end();
      return;
    }
    for (const one of published) this.#send(one);
  }

  end(): void {
    this.flush();
    this.#hasEnded = true;
    for (const reader of this.#readers) reader.end();
    this.#readers.clear();
  }

  /** The events as the body of a response. */
  read(options: ReadOptions): ReadableStream<Uint8Array> {
    return this.open(options).stream();
  }

  /** Adds a reader, whose owner has to read or to cancel it. */
  open({ after, modes, ...options }: ReadOptions): LogReader {
    const accepts = modes ? acceptsModes(modes) : options.accepts;
    const reader = new LogReader({ ...options, accepts }, this.#limits.lag, (isCancelled) => {
      const isOpen = this.#readers.delete(reader);
      if (isOpen && isCancelled) options.onCancel?.();
      options.onClose?.();
    });
    if (after !== undefined) this.#replay(reader, after, accepts);
    if (this.#hasEnded) reader.end();
    else this.#readers.add(reader);
    return reader;
  }

  #deliver(published: Published): void {
    if (this.#keeps) this.#keep(published.frame);
    this.#send(published);
  }

  #notify(event: string, data: string): void {
    for (const listener of this.#listeners) listener(event, data);
  }

  #send({ frame, event, data }: Published): void {
    this.#notify(event, data);
    for (const reader of this.#readers) reader.take(frame);
  }

  #keep(frame: Frame): void {
    this.#frames.push(frame);
    this.#replaySize += frame.text.length;
    while (this.#replaySize > this.#limits.replay && this.#dropped < this.#frames.length - minEvents) {
      this.#replaySize -= (this.#frames[this.#dropped++] as Frame).text.length;
    }
    // Of many frames not each time, because copying the others would take longer than everything else.
    if (this.#frames.length < 1000 || this.#dropped > this.#frames.length / 2) this.#compacted();
  }

  #compacted(): readonly Frame[] {
    if (this.#dropped > 0) this.#frames = this.#frames.slice(this.#dropped);
    this.#dropped = 0;
    return this.#frames;
  }

  #replay(reader: LogReader, after: string, accepts: ReadOptions["accepts"]): void {
    const { kept } = this;
    const last = after === "-" || after === "-1" ? 0 : Number(after.slice(after.lastIndexOf("-") + 1)) || 0;
    const oldest = kept[0]?.number ?? this.#lastNumber + 1;
    if (oldest > last + 1 && this.#keeps && last < this.#lastNumber) {
      const message = `The events after ${after} are no longer kept: the oldest that can be replayed is number ${oldest}.`;
      reader.cut(message);
      return;
    }
    for (const frame of kept) {
      if (frame.number > last && accepts?.(frame) !== false) reader.replay(frame);
    }
  }
}

function acceptsModes(modes: readonly string[]): (frame: Frame) => boolean {
  const chosen = new Set(modes);
  return ({ mode }) => mode === "always" || chosen.has(mode);
}
