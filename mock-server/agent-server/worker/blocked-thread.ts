import { Session } from "node:inspector";
import { fileURLToPath } from "node:url";

/** What keeps a thread busy. */
export interface Blocker {
  /** What the thread's own function for it returns; `undefined` when nothing can be learnt. */
  scope: number | undefined;
  /** File and line; `undefined` when nothing can be learnt. */
  place: string | undefined;
}

interface Reply {
  result?: { result?: { value?: unknown } };
}

interface Frame {
  callFrameId: string;
  location: { scriptId: string; lineNumber: number };
}

/** The name under which a thread's code says whose code is running. */
export const currentScopeName = "graphdeploy.currentScope";

/**
 * Finds out what a thread is doing that doesn't answer, by stopping it as a debugger does. The thread stays stopped until it is terminated, which is
 * to happen in `then`. `threadId` is the worker's; waits at most `patienceMs`.
 */
export async function stopAndAsk(
  threadId: number,
  patienceMs: number,
  then: (blocker: Blocker) => Promise<void>,
): Promise<void> {
  const session = new Session();
  const nothing: Blocker = { scope: undefined, place: undefined };
  try {
    session.connect();
  } catch {
    // The thread that this runs in is itself looked at.
    return then(nothing);
  }
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<Blocker>((resolve) => {
    timer = setTimeout(() => resolve(nothing), patienceMs);
  });
  const blocker = await Promise.race([ask(session, threadId), patience]);
  clearTimeout(timer);
  const ended = then(blocker);
  session.disconnect();
  await ended;
}

function ask(session: Session, threadId: number): Promise<Blocker> {
  return new Promise((resolve) => {
    let sessionId = "";
    let lastId = 0;
    const waiting = new Map<number, (reply: Reply) => void>();
    const scripts = new Map<string, string>();
    let enabled: Promise<Reply> | undefined;
    const send = (method: string, params: object = {}) =>
      new Promise<Reply>((answered) => {
        const id = ++lastId;
        waiting.set(id, answered);
        const message = JSON.stringify({ id, method, params });
        session.post("NodeWorker.sendMessageToWorker", { sessionId, message });
      });
    session.on("NodeWorker.attachedToWorker", ({ params }) => {
      if (params.workerInfo.workerId !== String(threadId)) return;
      sessionId = params.sessionId;
      enabled = send("Debugger.enable");
      void send("Debugger.pause");
    });
    session.on("NodeWorker.receivedMessageFromWorker", ({ params }) => {
      if (params.sessionId !== sessionId) return;
      const { id, method, params: content, ...reply } = JSON.parse(params.message);
      if (id !== undefined) waiting.get(id)?.(reply);
      else if (method === "Debugger.scriptParsed") scripts.set(content.scriptId, content.url);
      else if (method === "Debugger.paused") {
        const [frame] = content.callFrames as Frame[];
        if (!frame) return;
        const expression = `globalThis[Symbol.for(${JSON.stringify(currentScopeName)})]()`;
        void send("Debugger.evaluateOnCallFrame", {
          callFrameId: frame.callFrameId,
          expression,
          returnByValue: true,
        }).then(async ({ result }) => {
          const scope = result?.result?.value;
          // The scripts are named before the answer to this.
          await enabled;
          const { scriptId, lineNumber } = frame.location;
          const place = placeOf(scripts.get(scriptId) ?? "", lineNumber);
          resolve({ scope: typeof scope === "number" ? scope : undefined, place });
        });
      }
    });
    session.post("NodeWorker.enable", { waitForDebuggerOnStart: false });
  });
}

function placeOf(url: string, lineNumber: number): string | undefined {
  return url.startsWith("file:") ? `${fileURLToPath(url)}:${lineNumber + 1}` : undefined;
}
