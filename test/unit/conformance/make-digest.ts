import { readFile, writeFile } from "node:fs/promises";
import { digestOf, type OpenApiFile } from "../../kit/conformance/digest.ts";

/**
 * Makes a digest of an OpenAPI file: `node test/unit/conformance/make-digest.ts <openapi file> <digest file> [path
 * prefix …]`. The digest has the names, types and values that a conforming server must have, and none of the file's
 * prose.
 */
const [source, target, ...prefixes] = process.argv.slice(2);
if (source === undefined || target === undefined) {
  process.stderr.write("usage: node make-digest.ts <openapi file> <digest file> [path prefix ...]\n");
  process.exit(2);
}
const file = JSON.parse(await readFile(source, "utf8")) as OpenApiFile;
await writeFile(target, `${JSON.stringify(digestOf(file, prefixes), null, 2)}\n`);
