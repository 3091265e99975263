import { spawn } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { checkout } from "../../../scripts/run-command.ts";

interface Range {
  readonly start: { readonly line: number; readonly character: number };
}

export interface Diagnostic {
  readonly range: Range;
  readonly message: string;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
}

/** The YAML language server that editors run, in a process of its own. */
export interface YamlLanguageServer extends AsyncDisposable {
  /** Opens or changes a file, and returns what an editor would underline. Lines and columns count from 0. */
  open(file: string, text: string): Promise<readonly Diagnostic[]>;
  /** Sends a request about a position in an open file. */
  request(method: string, file: string, line: number, character: number): Promise<unknown>;
}

/** Starts the server in `folder`. */
export async function startYamlLanguageServer(folder: string): Promise<YamlLanguageServer> {
  const program = join(checkout, "node_modules", "yaml-language-server", "bin", "yaml-language-server");
  const child = spawn(process.execPath, [program, "--stdio"], { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const waiting = new Map<string | number, (value: never) => void>();
  const answerTo = <Value>(key: string | number) => new Promise<Value>((resolve) => waiting.set(key, resolve));
  const send = (message: object): void => {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  };
  const receive = ({ id, method, params, result }: Message): void => {
    if (method === "textDocument/publishDiagnostics") {
      const { uri, diagnostics } = params as { uri: string; diagnostics: never };
      waiting.get(uri)?.(diagnostics);
    } else if (method !== undefined && id !== undefined) {
      // Of the client's settings it needs none.
      send({
        id,
        result: method === "workspace/configuration" ? (params as { items: [] }).items.map(() => null) : null,
      });
    } else if (id !== undefined) waiting.get(id)?.(result as never);
  };
  let buffer = Buffer.alloc(0);
  child.stdout.on("data", (chunk: Buffer) => {
    buffer = Buffer.concat([buffer, chunk]);
    for (;;) {
      const head = /^Content-Length: (\d+)\r\n(?:.+\r\n)*\r\n/.exec(buffer.toString("latin1"));
      const end = (head?.[0].length ?? 0) + Number(head?.[1]);
      if (head === null || buffer.length < end) return;
      receive(JSON.parse(buffer.subarray(head[0].length, end).toString("utf8")));
      buffer = buffer.subarray(end);
    }
  });
  let ids = 0;
  const request = <Result>(method: string, params: object): Promise<Result> => {
    const id = ++ids;
    const result = answerTo<Result>(id);
    send({ id, method, params });
    return result;
  };
  const rootUri = pathToFileURL(folder).href;
  await request("initialize", { processId: process.pid, rootUri, capabilities: {} });
  send({ method: "initialized", params: {} });
  let version = 0;
  return {
    open(file, text) {
      const uri = pathToFileURL(file).href;
      const diagnostics = answerTo<readonly Diagnostic[]>(uri);
      const textDocument = { uri, languageId: "yaml", version: ++version, text };
      send({ method: "textDocument/didOpen", params: { textDocument } });
      return diagnostics;
    },
    request: (method, file, line, character) =>
      request(method, { textDocument: { uri: pathToFileURL(file).href }, position: { line, character } }),
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
    },
  };
}
