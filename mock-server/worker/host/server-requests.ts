import type { FetchServer } from "../../agent-server/served-project.ts";
import type { Handlers } from "../calls.ts";
import type { ServerMethods } from "../protocol.ts";
import { ResponseBodies } from "../response-bodies.ts";

type RequestHandlers = Pick<Handlers<ServerMethods>, "fetchServer" | "readServerBody" | "cancelServerBody">;

/** Serves the requests of one worker's code to its own server. They fail until the server serves the project. */
export class ServerRequests {
  readonly #bodies = new ResponseBodies();
  readonly handlers: RequestHandlers;

  constructor(server: () => FetchServer | undefined) {
    this.handlers = {
      fetchServer: async ({ user, request }, signal) => {
        const fetchServer = server();
        if (!fetchServer) throw new TypeError("The server doesn't serve these graphs yet.");
        const response = await fetchServer({ ...request, signal }, user);
        const body = response.body && this.#bodies.keep(response.body);
        return { status: response.status, headers: [...response.headers], body };
      },
      readServerBody: (body) => this.#bodies.read(body),
      cancelServerBody: (body) => this.#bodies.cancel(body),
    };
  }

  /** Cancels all response bodies, because the worker has ended. */
  close(): Promise<void> {
    return this.#bodies.cancelAll();
  }
}
