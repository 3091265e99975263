import { gzipSync } from "node:zlib";

/** An entry of a test tarball; `type` is the flag of its header (`0` file, `2` symbolic link, `5` folder …). */
export interface TestEntry {
  path: string;
  content?: string | Buffer;
  type?: string;
  /** The size in the header, if it differs from that of the content. */
  size?: number;
  /** The raw bytes of the header's size field, instead of octal digits. */
  rawSize?: string;
}

function header({ path, type = "0", size = 0, rawSize }: Required<Pick<TestEntry, "path">> & TestEntry): Buffer {
  const block = Buffer.alloc(512);
  block.write(path, 0, 100);
  block.write("0000644\0", 100);
  block.write(rawSize ?? `${size.toString(8).padStart(11, "0")}\0`, 124, "latin1");
  block.write("        ", 148);
  block.write(type, 156);
  block.write("ustar\x0000", 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}

/** A gzipped tar with exactly these entries. */
export function tarball(entries: readonly TestEntry[]): Buffer {
  const blocks = entries.flatMap((entry) => {
    const content = Buffer.from(entry.content ?? "");
    const padding = Buffer.alloc((512 - (content.length % 512)) % 512);
    return [header({ ...entry, size: entry.size ?? content.length }), content, padding];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

export const graphFile: TestEntry = { path: "agent.ts", content: "export const graph = {};" };

export const graphConfig: TestEntry = {
  path: "graph.json",
  content: JSON.stringify({ graphs: { agent: "./agent.ts:graph" } }),
};
