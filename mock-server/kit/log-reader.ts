/** Grace period of a lagging reader that reads nothing, in milliseconds. */
const lagGraceMs = 250;

/** Maximum lag of a reader that reads, as a multiple of the limit. */
const maxBurst = 16;

/**
 * Minimum number of events that are kept for replay and may wait for a reader, whatever their size: those of one turn
 * arrive together.
 */
export const minEvents = 16;

/** Target size of a chunk, in characters. */
const chunkSize = 64 * 1024;
const encoder = new TextEncoder();

/** An event as it is stored. */
export interface Frame {
  /** Counts from 1 within its log. */
  number: number;
  mode: string;
  text: string;
}

/** How a log is read. */
export interface ReaderOptions {
  /** Whether a reader gets an event. @default all */
  accepts?: ((frame: Frame) => boolean) | undefined;
  /** The text of an event, as this reader sends it. @default the stored text */
  render?: (frame: Frame) => string;
  /** The text that a reader sends before it is cut off. @default an event `error` */
  renderError?: (message: string) => string;
  /** For how many milliseconds a reader holds back an event, unless another one follows. @default 0 */
  holdBack?: (frame: Frame) => number;
  /** Milliseconds between comments on an idle stream. */
  heartbeatMs: number;
  /** Called when the reader disconnects before the log ends. */
  onCancel?: () => void;
  /** Called once the reader has read everything, or disconnects. */
  onClose?: () => void;
}

/** One reader of an event log, at its own pace: the texts that it hasn't read yet. */
export class LogReader {
  readonly #options: ReaderOptions;
  readonly #maxLag: number;
  readonly #onClose: (isCancelled: boolean) => void;
  #isClosed = false;
  #waiting: string[] = [];
  #lag = 0;
  #hasEnded = false;
  #isIdle = true;
  /** An event that is held back. */
  #held: { frame: Frame; timer: NodeJS.Timeout } | undefined;
  #wake: (() => void) | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  /** Runs while the lag exceeds the limit, and restarts whenever the reader reads. */
  #grace: NodeJS.Timeout | undefined;

  constructor(options: ReaderOptions, maxLag: number, onClose: (isCancelled: boolean) => void) {
    this.#options = options;
    this.#maxLag = maxLag;
    this.#onClose = onClose;
  }

  /** Characters that wait to be read. */
  get lag(): number {
    return this.#lag;
  }

  /** Whether it gets no further events. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Adds an event that this reader accepts. */
  take(frame: Frame): void {
    if (this.#hasEnded || this.#options.accepts?.(frame) === false) return;
    this.#add(frame);
    if (this.#lag <= this.#maxLag || this.#waiting.length <= minEvents) return;
    if (this.#lag > maxBurst * this.#maxLag) this.#cutForLag();
    else this.#grace ??= setTimeout(() => this.#cutForLag(), lagGraceMs).unref();
  }

  /** Adds an earlier event, however many wait. */
  replay(frame: Frame): void {
    if (!this.#hasEnded) this.#add(frame);
  }

  /** Adds a text that isn't an event of the log. */
  say(text: string): void {
    if (!this.#hasEnded) this.#push(text);
  }

  /** Ends the stream with an error instead of the waiting events. */
  cut(message: string): void {
    const { renderError = errorEvent } = this.#options;
    this.#dropHeld();
    this.#waiting = [renderError(message)];
    this.#lag = 0;
    this.#endGrace();
    this.end();
  }

  end(): void {
    this.#release();
    this.#hasEnded = true;
    this.#awake();
  }

  /** The next texts, about as many as a chunk holds; `undefined` at the end. */
  async next(): Promise<string[] | undefined> {
    while (this.#waiting.length === 0) {
      if (this.#hasEnded) {
        this.#close(false);
        return undefined;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#takeChunk();
  }

  /** Ends the reading. */
  cancel(): void {
    this.#hasEnded = true;
    this.#waiting = [];
    this.#close(true);
    this.#awake();
  }

  /** The texts as the body of a response, with comments while it is idle. */
  stream(): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>(
      {
        start: () => {
          this.#heartbeat = setInterval(() => this.#beat(), this.#options.heartbeatMs);
          this.#heartbeat.unref();
        },
        pull: async (controller) => {
          const texts = await this.next();
          if (texts) controller.enqueue(encoder.encode(texts.join("")));
          if (this.#waiting.length > 0 || !this.#hasEnded) return;
          this.#close(false);
          controller.close();
        },
        cancel: () => this.cancel(),
      },
      { highWaterMark: 0 },
    );
  }

  #close(isCancelled: boolean): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#heartbeat);
    this.#endGrace();
    this.#dropHeld();
    this.#onClose(isCancelled);
  }

  /** Adds an event, or holds it back, again if it has been held back already. */
  #add(frame: Frame): void {
    const held = this.#held?.frame.number ?? 0;
    if (held === frame.number) this.#dropHeld();
    else if (held < frame.number) this.#release();
    const ms = this.#options.holdBack?.(frame) ?? 0;
    if (ms <= 0) this.#push(this.#textOf(frame));
    else this.#held = { frame, timer: setTimeout(() => this.#release(), ms) };
  }

  /** Adds the event that is held back. */
  #release(): void {
    const frame = this.#held?.frame;
    this.#dropHeld();
    if (frame) this.#push(this.#textOf(frame));
  }

  #dropHeld(): void {
    clearTimeout(this.#held?.timer);
    this.#held = undefined;
  }

  #textOf(frame: Frame): string {
    return this.#options.render?.(frame) ?? frame.text;
  }

  #push(text: string): void {
    this.#waiting.push(text);
    this.#lag += text.length;
    this.#isIdle = false;
    this.#awake();
  }

  #cutForLag(): void {
    this.cut(`The reader lags by more than ${this.#maxLag} characters and is cut off; join the stream again.`);
  }

  #takeChunk(): string[] {
    let size = 0;
    let count = 0;
    while (count < this.#waiting.length && size < chunkSize) size += (this.#waiting[count++] as string).length;
    this.#lag -= size;
    if (this.#lag > this.#maxLag) this.#grace?.refresh();
    else this.#endGrace();
    return this.#waiting.splice(0, count);
  }

  #endGrace(): void {
    clearTimeout(this.#grace);
    this.#grace = undefined;
  }

  #beat(): void {
    if (this.#isIdle && this.#waiting.length === 0 && !this.#hasEnded) this.#push(": heartbeat\n\n");
    this.#isIdle = true;
  }

  #awake(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}

function errorEvent(message: string): string {
  return `event: error\ndata: ${JSON.stringify({ error: "StreamError", message })}\n\n`;
}
