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

/**
 * Minimum number of events that are kept for replay and may wait for a reader, whatever their size: those of one turn
 * arrive together.
 */
const minEvents = 16;

export const defaultLimits: EventLogLimits = { replay: 4 * 1024 * 1024, lag: 8 * 1024 * 1024 };

/** An event as it is sent. */
export interface Frame {
  /** Counts from 1 within its log. */
  number: number;
  mode: string;
  text: string;
}

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
  /** Called with the error when events can't be stored; the log then ends before them. @default prints it on stderr */
  onDefect?: (error: unknown) => void;
}

export interface ReadOptions {
  /** Replays the events after this id; `-` and `-1` mean from the beginning. Absent: only new events. */
  after?: string | undefined;
  /** Only events of these modes, and those of mode `always`. */
  modes?: readonly string[] | undefined;
  /** Milliseconds between comments on an idle stream. */
  heartbeatMs: number;
  /** Called when the reader disconnects before the end. */
  onCancel?: () => void;
}

/** Grace period of a lagging reader that reads nothing, in milliseconds. */
const lagGraceMs = 250;

/** Maximum lag of a reader that reads, as a multiple of the limit. */
const maxBurst = 16;

/** Target size of a chunk, in characters. */
const chunkSize = 64 * 1024;
const encoder = new TextEncoder();

interface Published {
  frame: Frame;
  event: string;
  data: string;
}

/** The events of a run, or of a thread, for any number of readers at any pace. */
export class EventLog {
  readonly #keeps: boolean;
  readonly #now: () => number;
  readonly #limits: EventLogLimits;
  readonly #archive: EventArchive | undefined;
  readonly #onDefect: (error: unknown) => void;
  readonly #readers = new Set<LogReader>();
  #frames: Frame[] = [];
  #replaySize = 0;
  #lastNumber = 0;
  #hasEnded = false;
  /** Events that wait for the archive. */
  #unwritten: Published[] = [];
  readonly #listeners: ((event: string, data: string) => void)[] = [];

  constructor({ now, keeps, limits = defaultLimits, archive, frames = [], onDefect = console.error }: EventLogOptions) {
    this.#keeps = keeps;
    this.#now = now;
    this.#limits = limits;
    this.#archive = archive;
    this.#onDefect = onDefect;
    for (const frame of frames) this.#keep(frame);
    this.#lastNumber = frames.at(-1)?.number ?? 0;
  }

  /** Length of the events that can be replayed, in characters. */
  get replaySize(): number {
    return this.#replaySize;
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
    const id = this.#keeps ? `id: ${this.#now()}-${number}\n` : "";
    const published = { frame: { number, mode, text: `event: ${event}\ndata: ${data}\n${id}\n` }, event, data };
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
      this.#archive?.append(frames, this.#frames[0]?.number ?? 0);
    } catch (error) {
      this.#onDefect(error);
      this.#frames = [];
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
    const reader = new LogReader(options, this.#limits.lag, () => {
      if (!this.#readers.delete(reader)) return;
      options.onCancel?.();
    });
    if (options.after !== undefined) this.#replay(reader, options.after);
    if (this.#hasEnded) reader.end();
    else this.#readers.add(reader);
    return reader.stream();
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
    let dropped = 0;
    while (this.#replaySize > this.#limits.replay && dropped < this.#frames.length - minEvents) {
      this.#replaySize -= (this.#frames[dropped++] as Frame).text.length;
    }
    if (dropped > 0) this.#frames = this.#frames.slice(dropped);
  }

  #replay(reader: LogReader, after: string): void {
    const last = after === "-" || after === "-1" ? 0 : Number(after.slice(after.lastIndexOf("-") + 1)) || 0;
    const oldest = this.#frames[0]?.number ?? this.#lastNumber + 1;
    if (oldest > last + 1 && this.#keeps && last < this.#lastNumber) {
      const message = `The events after ${after} are no longer kept: the oldest that can be replayed is number ${oldest}.`;
      reader.cut(message);
      return;
    }
    for (const frame of this.#frames) if (frame.number > last) reader.take(frame, true);
  }
}

class LogReader {
  readonly #modes: ReadonlySet<string> | undefined;
  readonly #heartbeatMs: number;
  readonly #maxLag: number;
  readonly #onCancel: () => void;
  #waiting: string[] = [];
  #lag = 0;
  #hasEnded = false;
  #isIdle = true;
  #wake: (() => void) | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  /** Runs while the lag exceeds the limit, and restarts whenever the reader reads. */
  #grace: NodeJS.Timeout | undefined;

  constructor({ modes, heartbeatMs }: ReadOptions, maxLag: number, onCancel: () => void) {
    this.#modes = modes && new Set(modes);
    this.#heartbeatMs = heartbeatMs;
    this.#maxLag = maxLag;
    this.#onCancel = onCancel;
  }

  take({ mode, text }: Frame, isReplay = false): void {
    if (this.#hasEnded || (this.#modes && mode !== "always" && !this.#modes.has(mode))) return;
    this.#waiting.push(text);
    this.#lag += text.length;
    this.#isIdle = false;
    if (this.#lag > this.#maxLag && this.#waiting.length > minEvents && !isReplay) {
      if (this.#lag > maxBurst * this.#maxLag) this.#cutForLag();
      else this.#grace ??= setTimeout(() => this.#cutForLag(), lagGraceMs).unref();
    }
    this.#awake();
  }

  #cutForLag(): void {
    this.cut(`The reader lags by more than ${this.#maxLag} characters and is cut off; join the stream again.`);
  }

  /** Ends the stream with an error instead of the waiting events. */
  cut(message: string): void {
    this.#waiting = [`event: error\ndata: ${JSON.stringify({ error: "StreamError", message })}\n\n`];
    this.#lag = 0;
    this.#endGrace();
    this.end();
  }

  end(): void {
    this.#hasEnded = true;
    this.#awake();
  }

  stream(): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>(
      {
        start: () => {
          this.#heartbeat = setInterval(() => this.#beat(), this.#heartbeatMs);
          this.#heartbeat.unref();
        },
        pull: async (controller) => {
          while (this.#waiting.length === 0 && !this.#hasEnded) {
            await new Promise<void>((resolve) => {
              this.#wake = resolve;
            });
          }
          if (this.#waiting.length > 0) controller.enqueue(encoder.encode(this.#nextChunk()));
          if (this.#waiting.length > 0 || !this.#hasEnded) return;
          clearInterval(this.#heartbeat);
          controller.close();
        },
        cancel: () => {
          clearInterval(this.#heartbeat);
          this.#endGrace();
          this.#hasEnded = true;
          this.#waiting = [];
          this.#awake();
          this.#onCancel();
        },
      },
      { highWaterMark: 0 },
    );
  }

  #nextChunk(): string {
    let size = 0;
    let count = 0;
    while (count < this.#waiting.length && size < chunkSize) size += (this.#waiting[count++] as string).length;
    const chunk = this.#waiting.splice(0, count).join("");
    this.#lag -= chunk.length;
    if (this.#lag > this.#maxLag) this.#grace?.refresh();
    else this.#endGrace();
    return chunk;
  }

  #endGrace(): void {
    clearTimeout(this.#grace);
    this.#grace = undefined;
  }

  #beat(): void {
    if (this.#isIdle && this.#waiting.length === 0 && !this.#hasEnded) {
      this.#waiting.push(": heartbeat\n\n");
      this.#lag += 13;
      this.#awake();
    }
    this.#isIdle = true;
  }

  #awake(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
