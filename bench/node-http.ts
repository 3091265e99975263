import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { json } from "node:stream/consumers";

/** A request, and the objects that the measured server responds with. */
export interface Sample {
  method: string;
  path: string;
  /** Whether the request stores one more object. */
  isWrite: boolean;
  objects: readonly unknown[];
}

/**
 * A bare `node:http` server, to separate the cost of the transport from the rest of a request. It parses the body,
 * inserts one row or selects the rows of a page with one statement, and serializes as much as the server that the
 * samples come from. Its arguments are a JSON file of {@link Sample}s and a port. Prints the port.
 */
const [file = "", port = "0"] = process.argv.slice(2);
const samples = JSON.parse(readFileSync(file, "utf8")) as Sample[];
const database = new DatabaseSync(":memory:");
database.exec("CREATE TABLE objects (sequence INTEGER PRIMARY KEY, path TEXT NOT NULL, text TEXT NOT NULL)");
database.exec("CREATE INDEX objects_by_path ON objects (path)");
const insert = database.prepare("INSERT INTO objects (path, text) VALUES (?, ?)");
const select = database.prepare("SELECT text FROM objects WHERE path = ? ORDER BY sequence LIMIT ?");
for (const { path, objects } of samples) for (const object of objects) insert.run(path, JSON.stringify(object));

async function respond(request: IncomingMessage): Promise<unknown> {
  const sample = samples.find(({ method, path }) => method === request.method && path === request.url);
  const body = request.method === "POST" ? await json(request) : undefined;
  if (!sample) return {};
  const { path, isWrite, objects } = sample;
  if (!isWrite) return select.all(path, objects.length).map(({ text }) => JSON.parse(text as string));
  insert.run(path, JSON.stringify(body));
  return objects[0];
}

const server = createServer({ noDelay: true }, async (request, response) => {
  const text = JSON.stringify(await respond(request));
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) }).end(text);
});
server.listen(Number(port), "127.0.0.1", () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
