import { spawn } from "node:child_process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";

export interface Diagnostic {
  readonly range: { readonly start: { readonly line: number; readonly character: number } };
  readonly message: string;
}

/** The YAML language server that editors run, in a process of its own. */
export interface YamlLanguageServer extends AsyncDisposable {
  /** Opens a file, and returns what an editor would underline. Lines and columns count from 0. */
  open(file: string, text: string): Promise<readonly Diagnostic[]>;
  /** Sends a request about a position in an open file. */
  request(method: string, file: string, line: number, character: number): Promise<unknown>;
}

/** Starts the server in `folder`. */
export async function startYamlLanguageServer(folder: string): Promise<YamlLanguageServer> {
  const program = fileURLToPath(new URL("../../bin/yaml-language-server", import.meta.resolve("yaml-language-server")));
  const child = spawn(process.execPath, [program, "--stdio"], { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const connection = createMessageConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  const diagnosed = new Map<string, (diagnostics: readonly Diagnostic[]) => void>();
  connection.onNotification("textDocument/publishDiagnostics", ({ uri, diagnostics }) =>
    diagnosed.get(uri)?.(diagnostics),
  );
  // It has no settings.
  connection.onRequest("workspace/configuration", ({ items }) => items.map(() => null));
  connection.onRequest(() => null);
  connection.listen();
  const rootUri = pathToFileURL(folder).href;
  await connection.sendRequest("initialize", { processId: process.pid, rootUri, capabilities: {} });
  await connection.sendNotification("initialized", {});
  return {
    async open(file, text) {
      const uri = pathToFileURL(file).href;
      const diagnostics = new Promise<readonly Diagnostic[]>((resolve) => diagnosed.set(uri, resolve));
      const textDocument = { uri, languageId: "yaml", version: 1, text };
      await connection.sendNotification("textDocument/didOpen", { textDocument });
      return diagnostics;
    },
    request: (method, file, line, character) =>
      connection.sendRequest(method, {
        textDocument: { uri: pathToFileURL(file).href },
        position: { line, character },
      }),
    async [Symbol.asyncDispose]() {
      connection.dispose();
      child.kill();
      await ended;
    },
  };
}
