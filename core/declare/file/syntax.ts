import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml";
import { invalidJsonAt, yamlMessage } from "../../malformed-text.ts";
import { unclosedBefore } from "../../unclosed.ts";
import type { FileNode, Finding, Path, Position } from "./file-node.ts";

/** Bytes of a file. A file of 5,000 deployments is smaller. */
const maxFileBytes = 5_000_000;
/** Values that aliases may add to a file: enough for any hand-written one, and few enough to stop a file that multiplies itself. */
const maxAliasedValues = 10_000;
const maxDepth = 100;

const unclosedMessage = "opens a quote or bracket that is never closed.";

/** The file as nodes. Without a document there is no point in looking further, so a mistake in the syntax is the only one that is reported. */
export function parseFile(text: string, isJson: boolean): { root: FileNode | undefined; findings: readonly Finding[] } {
  const start = { line: 1, column: 1 };
  const fail = (position: Position, message: string) => ({
    root: undefined,
    findings: [{ path: [], position, message }],
  });
  if (Buffer.byteLength(text) > maxFileBytes) {
    return fail(start, `is larger than ${maxFileBytes / 1_000_000} MB.`);
  }
  const content = text.replace(/^\uFEFF/, "");
  const lines = new LineCounter();
  const positionAt = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const unclosedAt = (offset: number) => unclosedBefore(document, offset);
  const document = parseDocument(content, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: false,
    keepSourceTokens: true,
  });
  if (isJson) {
    const offset = invalidJsonAt(content);
    if (offset !== undefined) {
      const opening = offset < content.trimEnd().length ? undefined : unclosedAt(content.length);
      return fail(positionAt(opening ?? offset), opening === undefined ? "is not valid JSON." : unclosedMessage);
    }
  }
  const unclosed = document.errors.map(({ pos }) => unclosedAt(pos[0])).find((opening) => opening !== undefined);
  if (unclosed !== undefined) return fail(positionAt(unclosed), unclosedMessage);
  const [error] = [...document.errors, ...document.warnings].sort((a, b) => a.pos[0] - b.pos[0]);
  if (error !== undefined) {
    const isTag = error.code === "TAG_RESOLVE_FAILED";
    const message = isTag
      ? "has a YAML tag. Only maps, lists, strings, numbers, true, false and null are read."
      : undefined;
    return fail(positionAt(error.pos[0]), message ?? yamlMessage(error.code));
  }
  if (document.directives?.yaml.version === "1.1") {
    return fail(start, "is YAML 1.1, which reads no as false and 0755 as 493. Remove the %YAML directive.");
  }
  if (document.contents === null || (isScalar(document.contents) && document.contents.value === null)) {
    return fail(start, "is empty.");
  }
  const reader = new NodeReader(positionAt);
  const root = reader.read(document.contents, [], undefined);
  return { root, findings: reader.findings };
}

/** Turns YAML's nodes into ours: aliases and merge keys filled in, keys checked. */
class NodeReader {
  readonly findings: Finding[] = [];
  readonly #positionAt: (offset: number) => Position;
  readonly #anchors = new Map<string, Node>();
  /** Aliased nodes that are being read. */
  readonly #within = new Set<Node>();
  readonly #found = new Set<string>();
  #aliasedValues = 0;

  constructor(positionAt: (offset: number) => Position) {
    this.#positionAt = positionAt;
  }

  read(node: Node, path: Path, keyPosition: Position | undefined): FileNode {
    const position = this.#positionAt(node.range?.[0] ?? 0);
    const written = { path, position, ...(keyPosition === undefined ? {} : { keyPosition }) };
    if (this.#within.size > 0) this.#aliasedValues++;
    if (path.length > maxDepth) {
      this.#find(path, position, `is nested more than ${maxDepth} deep.`);
      return { ...written, kind: "scalar", value: null };
    }
    if (isAlias(node)) return this.#readAlias(node.source, written);
    if (node.anchor !== undefined && this.#within.size === 0) this.#anchors.set(node.anchor, node);
    if (isMap(node)) return { ...written, kind: "map", entries: this.#readEntries(node, path) };
    if (isSeq(node)) {
      const items = node.items.map((item, index) => this.read(item as Node, [...path, index], undefined));
      return { ...written, kind: "list", items };
    }
    const value = isScalar(node) ? (node.value as string | number | boolean | null) : null;
    if (typeof value === "number" && (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER)) {
      this.#find(path, position, "is a number that can't be kept exactly. Put it in quotes.");
    }
    return { ...written, kind: "scalar", value };
  }

  #readAlias(name: string, written: Pick<FileNode, "path" | "position" | "keyPosition">): FileNode {
    const target = this.#anchors.get(name);
    // Without the name: a secret that begins with * and isn't in quotes looks like an alias.
    const refuse = (message: string): FileNode => {
      this.#find(written.path, written.position, message);
      return { ...written, kind: "scalar", value: null };
    };
    if (target === undefined)
      return refuse("is an alias without an anchor above. Put a string that begins with * in quotes.");
    if (this.#within.has(target)) return refuse("is an alias inside of its own anchor.");
    if (this.#aliasedValues > maxAliasedValues) {
      return refuse(`expands too far: aliases may add at most ${maxAliasedValues} values.`);
    }
    this.#within.add(target);
    const node = this.read(target, written.path, written.keyPosition);
    this.#within.delete(target);
    return node;
  }

  #readEntries(map: { items: { key: unknown; value: unknown }[] }, path: Path): Map<string, FileNode> {
    const entries = new Map<string, FileNode>();
    const merged: FileNode[] = [];
    for (const { key, value } of map.items) {
      const keyPosition = this.#positionAt(isNode(key) ? (key.range?.[0] ?? 0) : 0);
      const name = isScalar(key) ? key.value : undefined;
      if (typeof name !== "string") {
        this.#find(path, keyPosition, "has a key that isn't a string. Put it in quotes.");
        continue;
      }
      if (name === "__proto__") {
        this.#find([...path, name], keyPosition, "can't be a key.");
        continue;
      }
      if (isScalar(key) && name === "<<" && key.type === "PLAIN") {
        const sources = isSeq(value) ? value.items : [value];
        for (const source of sources) merged.push(this.#readValue(source, path, keyPosition));
        continue;
      }
      const node = this.#readValue(value, [...path, name], keyPosition);
      const first = entries.get(name);
      if (first === undefined) entries.set(name, node);
      else this.#find(node.path, keyPosition, `is declared twice, first in line ${first.keyPosition?.line}.`);
    }
    for (const source of merged) {
      if (source.kind !== "map") this.#find(path, source.position, "merges (<<) what isn't a map.");
      else for (const [name, node] of source.entries) if (!entries.has(name)) entries.set(name, node);
    }
    return entries;
  }

  #readValue(value: unknown, path: Path, keyPosition: Position): FileNode {
    if (isNode(value)) return this.read(value, path, keyPosition);
    return { path, position: keyPosition, keyPosition, kind: "scalar", value: null };
  }

  /** An alias that multiplies itself would repeat its message thousands of times. */
  #find(path: Path, position: Position, message: string): void {
    const once = `${position.line}:${position.column} ${message}`;
    if (this.#found.has(once)) return;
    this.#found.add(once);
    this.findings.push({ path, position, message });
  }
}
