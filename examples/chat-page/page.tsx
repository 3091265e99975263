import { type AnyStream, type SubgraphDiscoverySnapshot, useMessages, useStream } from "@langchain/react";
import { type FormEvent, useState } from "react";
import { createRoot } from "react-dom/client";

const address = new URLSearchParams(location.search);

/** Keeps the thread in the address, so that the page continues it when it is loaded again. */
function onThreadId(id: string) {
  address.set("thread", id);
  history.replaceState(null, "", `?${address}`);
}

function Chat() {
  const stream = useStream({
    assistantId: "support",
    apiUrl: address.get("server") ?? "http://127.0.0.1:2024",
    transport: address.get("transport") === "websocket" ? "websocket" : "sse",
    threadId: address.get("thread"),
    onThreadId,
  });
  const { messages, toolCalls, subgraphs, interrupt, error } = stream;
  return (
    <main>
      <ol>
        {messages.map(
          ({ id, type, text }) =>
            text && (
              <li key={id} className={type}>
                {text}
              </li>
            ),
        )}
      </ol>
      <aside>
        {toolCalls.map(({ id, name, status }) => (
          <p key={id}>
            Tool {name}: {status}
          </p>
        ))}
        {[...subgraphs.values()].map((one) => (
          <Subgraph key={one.id} stream={stream} subgraph={one} />
        ))}
      </aside>
      {interrupt && <Question text={(interrupt.value as { question: string }).question} answer={stream.respond} />}
      {error ? <p role="alert">{String(error)}</p> : null}
      <Form
        isDisabled={stream.isLoading}
        send={(content) => stream.submit({ messages: [{ type: "human", content }] })}
      />
    </main>
  );
}

/** A subgraph, and what it says while it says it. */
function Subgraph({ stream, subgraph }: { stream: AnyStream; subgraph: SubgraphDiscoverySnapshot }) {
  const messages = useMessages(stream, subgraph);
  return (
    <p>
      Subgraph {subgraph.nodeName}: {subgraph.status} <q>{messages.at(-1)?.text}</q>
    </p>
  );
}

function Question({ text, answer }: { text: string; answer: (response: string) => void }) {
  return (
    <section>
      {text}
      <button type="button" onClick={() => answer("yes")}>
        Yes
      </button>
      <button type="button" onClick={() => answer("no")}>
        No
      </button>
    </section>
  );
}

function Form({ isDisabled, send }: { isDisabled: boolean; send: (content: string) => void }) {
  const [text, setText] = useState("My teapot arrived broken.");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send(text);
  };
  return (
    <form onSubmit={submit}>
      <input value={text} onChange={({ target }) => setText(target.value)} aria-label="Message" />
      <button type="submit" disabled={isDisabled}>
        Send
      </button>
    </form>
  );
}

createRoot(document.getElementById("page") as HTMLElement).render(<Chat />);
