import { readdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { factsOf, type ResponseFacts, type WireResponse } from "../../kit/conformance/response-facts.ts";

/**
 * Makes a digest of responses recorded from another server: `node test/unit/conformance/make-recordings-digest.ts
 * <digest file> <folder> …`. A recording is a text file named after its probe, with the request and then the response's
 * head and body as they came over the wire. The digest has names, types and the order of events, and none of the
 * responses' text. Recorded streams by commands are left out.
 */
const [target, ...folders] = process.argv.slice(2);
if (target === undefined || folders.length === 0) {
  process.stderr.write("usage: node make-recordings-digest.ts <digest file> <folder> ...\n");
  process.exit(2);
}

function responseOf(recording: string): WireResponse {
  const response = recording.slice(recording.indexOf("HTTP/1.1 ")).replace(/\n\[curl exit \d+\]\s*$/, "");
  const end = response.indexOf("\r\n\r\n");
  const [statusLine = "", ...lines] = response.slice(0, end).split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  return { status: Number(statusLine.split(" ")[1]), headers, text: response.slice(end + 4) };
}

const digest: Record<string, ResponseFacts> = {};
for (const folder of folders) {
  for (const file of (await readdir(folder)).sort()) {
    const name = basename(file, ".txt");
    if (name.startsWith("v3-")) continue;
    digest[name] = factsOf(responseOf(await readFile(join(folder, file), "utf8")));
  }
}
await writeFile(target, `${JSON.stringify(digest, null, 2)}\n`);
