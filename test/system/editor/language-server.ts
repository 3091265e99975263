import { spawn } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  createMessageConnection,
  type MessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-jsonrpc/node";
import { checkout } from "../../../scripts/run-command.ts";

export interface Diagnostic {
  message: string;
  range: { start: { line: number; character: number } };
}

/** A client of the YAML language server, which sends what an editor sends. */
export class LanguageServer implements AsyncDisposable {
  readonly #connection: MessageConnection;
  readonly #folder: string;
  readonly #end: () => Promise<void>;
  readonly #waiting = new Map<string, (diagnostics: readonly Diagnostic[]) => void>();

  private constructor(connection: MessageConnection, folder: string, end: () => Promise<void>) {
    this.#connection = connection;
    this.#folder = folder;
    this.#end = end;
    connection.onNotification("textDocument/publishDiagnostics", (shown: { uri: string; diagnostics: Diagnostic[] }) =>
      this.#waiting.get(shown.uri)?.(shown.diagnostics),
    );
    connection.onRequest("workspace/configuration", ({ items }: { items: readonly unknown[] }) =>
      items.map(() => ({ validate: true, completion: true, hover: true, schemaStore: { enable: false } })),
    );
    connection.onRequest("client/registerCapability", () => null);
  }

  static async start(folder: string): Promise<LanguageServer> {
    const child = spawn(join(checkout, "node_modules/.bin/yaml-language-server"), ["--stdio"], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
    const connection = createMessageConnection(
      new StreamMessageReader(child.stdout),
      new StreamMessageWriter(child.stdin),
    );
    const server = new LanguageServer(connection, folder, async () => {
      connection.dispose();
      child.kill();
      await ended;
    });
    connection.listen();
    await connection.sendRequest("initialize", {
      processId: process.pid,
      rootUri: pathToFileURL(folder).href,
      capabilities: { workspace: { configuration: true }, textDocument: { publishDiagnostics: {} } },
    });
    await connection.sendNotification("initialized", {});
    return server;
  }

  /** Opens a file and resolves with the server's diagnostics. */
  async open(name: string, text: string): Promise<readonly Diagnostic[]> {
    const uri = this.#uriOf(name);
    const { promise, resolve } = Promise.withResolvers<readonly Diagnostic[]>();
    this.#waiting.set(uri, resolve);
    const textDocument = { uri, languageId: "yaml", version: 1, text };
    await this.#connection.sendNotification("textDocument/didOpen", { textDocument });
    return promise;
  }

  /** The completions at a zero-based position. */
  async complete(name: string, position: { line: number; character: number }): Promise<readonly string[]> {
    const request = { textDocument: { uri: this.#uriOf(name) }, position };
    const offered = await this.#connection.sendRequest<{ items: { label: string }[] }>(
      "textDocument/completion",
      request,
    );
    return offered.items.map(({ label }) => label);
  }

  /** The hover text at a zero-based position. */
  async hover(name: string, position: { line: number; character: number }): Promise<string> {
    const request = { textDocument: { uri: this.#uriOf(name) }, position };
    return JSON.stringify(await this.#connection.sendRequest("textDocument/hover", request));
  }

  #uriOf(name: string): string {
    return pathToFileURL(join(this.#folder, name)).href;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#end();
  }
}
