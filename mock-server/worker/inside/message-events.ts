import { toBothNames, toNeutralNames } from "../../../core/client/wire/conventions.ts";
import type { Fields } from "../../agent-server/engine/contract.ts";
import type { EventWriter } from "./event-writer.ts";
import type { Library } from "./library.ts";
import { wireJson } from "./wire-json.ts";

/** A message of the library, or a chunk of one. */
interface LibraryMessage {
  id?: string;
  content: unknown;
  concat?(next: LibraryMessage): LibraryMessage;
}

/** The reply of a model call so far. */
interface Reply {
  id: string;
  metadata: Fields;
  whole: LibraryMessage | undefined;
}

const hiddenTags = ["nostream", "langsmith:nostream", "langsmith:hidden"];

/**
 * The stream mode `messages`: each reply of a model as far as it has been streamed, and each message once it is part of
 * the state.
 */
export class MessageEvents {
  readonly #library: Library;
  readonly #writer: EventWriter;
  readonly #replies = new Map<string, Reply>();
  readonly #completed = new Set<string>();

  constructor(library: Library, writer: EventWriter) {
    this.#library = library;
    this.#writer = writer;
  }

  /** Callbacks for model calls in the graph and its subgraphs. */
  readonly callbacks = {
    name: "message-events",
    awaitHandlers: true,
    lc_prefer_streaming: true,
    handleChatModelStart: async (
      _model: unknown,
      _messages: unknown,
      callId: string,
      _parent?: string,
      _extra?: unknown,
      tags?: string[],
      metadata?: Fields,
    ): Promise<void> => {
      if (tags?.some((tag) => hiddenTags.includes(tag))) return;
      this.#replies.set(callId, { id: `run-${callId}`, metadata: metadata ?? {}, whole: undefined });
      // Lets earlier events of the graph, still in its stream, come first.
      await new Promise((resolve) => setImmediate(resolve));
    },
    handleLLMNewToken: (
      token: string,
      _index: unknown,
      callId: string,
      _parent?: string,
      _tags?: string[],
      fields?: { chunk?: { message?: LibraryMessage } },
    ): void => {
      this.#write(
        callId,
        fields?.chunk?.message ?? (new this.#library.AIMessageChunk({ content: token }) as LibraryMessage),
      );
    },
    handleLLMEnd: (output: { generations?: { message?: LibraryMessage }[][] }, callId: string): void => {
      const reply = this.#replies.get(callId);
      const message = output.generations?.[0]?.[0]?.message;
      if (reply && reply.whole === undefined && message) this.#write(callId, message);
      this.#replies.delete(callId);
    },
    handleLLMError: (_error: unknown, callId: string): void => {
      this.#replies.delete(callId);
    },
  };

  /** Streams the messages of a state that earlier states didn't have. */
  stateChanged(values: unknown): void {
    const { messages } = (values ?? {}) as { messages?: unknown };
    const fresh: LibraryMessage[] = [];
    for (const message of [messages ?? []].flat() as LibraryMessage[]) {
      if (typeof message !== "object" || message === null || !message.id || this.#completed.has(message.id)) continue;
      this.#completed.add(message.id);
      fresh.push(message);
    }
    if (fresh.length > 0) this.#writer.write("messages", "messages/complete", wireJson(fresh, "messages"));
  }

  #write(callId: string, chunk: LibraryMessage): void {
    const reply = this.#replies.get(callId);
    if (!reply) return;
    if (reply.whole === undefined) {
      if (chunk.id) reply.id = chunk.id;
      reply.whole = chunk;
      const metadata = toBothNames(toNeutralNames(reply.metadata));
      this.#writer.write("messages", "messages/metadata", wireJson({ [reply.id]: { metadata } }, "metadata"));
    } else {
      reply.whole = reply.whole.concat?.(chunk) ?? chunk;
    }
    const shown = wireJson([reply.whole], "messages");
    this.#writer.write("messages", "messages/partial", reply.whole.id ? shown : withId(shown, reply.id));
  }
}

function withId(json: string, id: string): string {
  const [message] = JSON.parse(json) as [Fields];
  return JSON.stringify([{ ...message, id }]);
}
