import type { Fields } from "../../agent-server/engine/contract.ts";
import { ProtocolStream } from "../../agent-server/engine/protocol-stream.ts";
import { failureOf } from "../../kit/failure.ts";
import { taskView } from "./debug-events.ts";
import type { EventWriter } from "./event-writer.ts";
import { wireValue } from "./wire-json.ts";

/** Converts the library's event stream of version 3 to events of the streaming protocol. */
export class ProtocolEvents {
  readonly #stream: ProtocolStream;
  readonly messages: undefined;

  constructor(writer: EventWriter) {
    this.#stream = new ProtocolStream((head, data) => writer.write("protocol", head, data));
  }

  /** The library chooses them itself. */
  libraryModes(): string[] {
    return ["values"];
  }

  take(namespace: readonly string[], method: string, data: unknown, node?: string): void {
    const shown = method === "tasks" ? taskView(data as Fields) : data;
    this.#stream.take({ method, namespace, node, data: plain(shown, (error) => inPlaceOf(method, node, error)) });
  }
}

/** A bad event must not end a run, so an error is sent instead. */
function plain(data: unknown, instead: (error: Fields) => unknown): unknown {
  try {
    return wireValue(data, "The event");
  } catch (cause) {
    const { name, message } = failureOf(cause);
    return instead({ error: name, message });
  }
}

function inPlaceOf(method: string, node: string | undefined, error: Fields): unknown {
  return method === "updates" ? { node, values: error } : error;
}
