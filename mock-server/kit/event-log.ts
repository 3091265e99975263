/** How much is kept, in characters. */
export interface EventLogLimits {
  /** Of the events that can be replayed. @default 4 Mi */
  replay: number;
  /**
   * Of the events that a reader hasn't taken yet. One that lags further behind, and by more than a few events, is cut off once it takes nothing for a
   * while, or lags 16 times as far: graphs send faster than anybody reads, and what they send in one turn comes all at once. @default 8 Mi
   */
  lag: number;
}

/** However large they are, so many events are kept for replay, and may wait for a reader that isn't behind: those of a turn come all at once. */
const minEvents = 16;

export const defaultLimits: EventLogLimits = { replay: 4 * 1024 * 1024, lag: 8 * 1024 * 1024 };

/** An event as it is sent. */
export interface Frame {
  /** Counts from 1 within its log. */
  number: number;
  mode: string;
  text: string;
}

/** Keeps the events of a log beyond the process. */
export interface EventArchive {
  /** Keeps further events, and may drop those before the number `oldest`. All of it, or nothing when it throws. */
  append(frames: readonly Frame[], oldest: number): void;
}

/** What a log is made of. */
export interface EventLogOptions {
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Whether events can be replayed, and have ids. */
  keeps: boolean;
  limits?: EventLogLimits;
  /** Where events are kept, which readers get only after that. @default nowhere */
  archive?: EventArchive | undefined;
  /** What an archive kept of the log so far. */
  frames?: readonly Frame[];
  /** Called with why events couldn't be kept: the log ends before them. */
  onDefect?: (error: unknown) => void;
}

/** What a reader of a log wants. */
export interface ReadOptions {
  /** Replay what came after the event with this id; `-` and `-1` stand for the beginning. Absent: only what comes from now on. */
  after?: string | undefined;
  /** Only events of these modes; those of mode `always` come in any case. */
  modes?: readonly string[] | undefined;
  /** How often a comment is sent while nothing else is. */
  heartbeatMs: number;
  /** Called when the reader goes away before the end. */
  onLeave?: () => void;
}

/** How long a reader that lags may take nothing, in milliseconds. */
const lagGraceMs = 250;

/** How many times the limit a reader may lag by while it reads. */
const maxBurst = 16;

/** Most characters that are sent at once. */
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
  #keptSize = 0;
  #lastNumber = 0;
  #hasEnded = false;
  /** What waits for the archive. */
  #unwritten: Published[] = [];
  /** Called with every event, also while nobody reads. */
  onPublish: ((event: string, data: string) => void) | undefined;

  constructor({ now, keeps, limits = defaultLimits, archive, frames = [], onDefect = console.error }: EventLogOptions) {
    this.#keeps = keeps;
    this.#now = now;
    this.#limits = limits;
    this.#archive = archive;
    this.#onDefect = onDefect;
    for (const frame of frames) this.#keep(frame);
    this.#lastNumber = frames.at(-1)?.number ?? 0;
  }

  /** How many characters are kept for replay. */
  get keptSize(): number {
    return this.#keptSize;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Sends an event; `data` is JSON. Events after the end are dropped. */
  publish(mode: string, event: string, data: string): void {
    if (this.#hasEnded) return;
    if (!this.#keeps && this.#readers.size === 0) {
      this.onPublish?.(event, data);
      return;
    }
    const number = ++this.#lastNumber;
    const id = this.#keeps ? `id: ${this.#now()}-${number}\n` : "";
    const published = { frame: { number, mode, text: `event: ${event}\ndata: ${data}\n${id}\n` }, event, data };
    if (!this.#archive) this.#deliver(published);
    else if (this.#unwritten.push(published) === 1) setImmediate(() => this.flush());
  }

  /** Keeps and sends what was published so far, which otherwise happens in the next turn of the event loop. */
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
      for (const reader of this.#readers) reader.cut("The events of the run can't be kept any more.");
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
      options.onLeave?.();
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

  #send({ frame, event, data }: Published): void {
    this.onPublish?.(event, data);
    for (const reader of this.#readers) reader.take(frame);
  }

  #keep(frame: Frame): void {
    this.#frames.push(frame);
    this.#keptSize += frame.text.length;
    let dropped = 0;
    while (this.#keptSize > this.#limits.replay && dropped < this.#frames.length - minEvents) {
      this.#keptSize -= (this.#frames[dropped++] as Frame).text.length;
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
  readonly #mostLag: number;
  readonly #leave: () => void;
  #waiting: string[] = [];
  #lag = 0;
  #hasEnded = false;
  #isIdle = true;
  #wake: (() => void) | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  /** Runs while the reader lags by more than it may, anew whenever it takes something. */
  #grace: NodeJS.Timeout | undefined;

  constructor({ modes, heartbeatMs }: ReadOptions, mostLag: number, leave: () => void) {
    this.#modes = modes && new Set(modes);
    this.#heartbeatMs = heartbeatMs;
    this.#mostLag = mostLag;
    this.#leave = leave;
  }

  take({ mode, text }: Frame, isReplay = false): void {
    if (this.#hasEnded || (this.#modes && mode !== "always" && !this.#modes.has(mode))) return;
    this.#waiting.push(text);
    this.#lag += text.length;
    this.#isIdle = false;
    if (this.#lag > this.#mostLag && this.#waiting.length > minEvents && !isReplay) {
      if (this.#lag > maxBurst * this.#mostLag) this.#cutForLag();
      else this.#grace ??= setTimeout(() => this.#cutForLag(), lagGraceMs).unref();
    }
    this.#awake();
  }

  #cutForLag(): void {
    this.cut(`The reader lags by more than ${this.#mostLag} characters and is cut off; join the stream again.`);
  }

  /** Ends with an error in place of what is waiting. */
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
          this.#leave();
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
    if (this.#lag > this.#mostLag) this.#grace?.refresh();
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
