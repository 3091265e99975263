import { compose, type ReplacedParts } from "./compose.ts";
import type { Clock } from "./kit/clock.ts";
import { HttpServer } from "./kit/http/http-server.ts";
import type { RequestContext } from "./kit/http/request-context.ts";
import type { MockServer, MockServerOptions } from "./mock-server.ts";
import { checkOptionNames } from "./option-names.ts";
import { openStorage } from "./storage.ts";

export type { MockServer, MockServerOptions } from "./mock-server.ts";

/**
 * Starts a mock server.
 * @throws {RangeError} for invalid options and missing folders; {DataDirectoryError} for a data directory that can't be
 * used; a system error when the port is in use.
 */
export function startMockServer(options: MockServerOptions = {}): Promise<MockServer> {
  return startMockServerWith({}, options);
}

/** Starts a mock server with some parts replaced, for tests. @throws as {@link startMockServer} */
export async function startMockServerWith(parts: ReplacedParts, options: MockServerOptions): Promise<MockServer> {
  checkOptionNames(options);
  const { port = 8124, host = "127.0.0.1", certificate, logFormat } = options;
  const storage = await openStorage(options.dataDirectory, options.seed);
  try {
    const isContinued = !storage.store.isEmpty;
    let url = "";
    const { handle, onDefect, controls, wake, close: closeParts } = compose(options, storage, () => url, parts);
    const onFinish = logFormat && requestLog(logFormat, controls.clock);
    const server = new HttpServer({
      handle,
      onDefect,
      ...(certificate && { certificate }),
      ...(onFinish && { onFinish }),
    });
    url = await server.listen(port, host);
    wake();
    let closed: Promise<void> | undefined;
    const close = ({ gracePeriodMs = 0 } = {}) => {
      // A second call ends the grace period of the first.
      const drained = gracePeriodMs > 0 || closed ? server.close(gracePeriodMs) : undefined;
      closed ??= (async () => {
        await drained;
        await closeParts(() => server.close());
      })();
      return closed;
    };
    const selfHostedUrl = `${url}/api-host`;
    return { url, selfHostedUrl, isContinued, ...controls, close, [Symbol.asyncDispose]: () => close() };
  } catch (error) {
    storage.close();
    throw error;
  }
}

/** Prints a line for each request. */
function requestLog(format: "pretty" | "json", clock: Clock): (context: RequestContext, status: number | null) => void {
  return ({ method, target }, status) => {
    // Without terminal control sequences.
    const path = target.replace(/\?.*$/s, "").replace(/[^\x20-\x7e]/g, encodeURIComponent);
    const time = new Date(clock.now()).toISOString();
    const line =
      format === "json"
        ? JSON.stringify({ event: "request", time, method, path, status })
        : `${time} ${method} ${path} ${status ?? "reset"}`;
    process.stdout.write(`${line}\n`);
  };
}
