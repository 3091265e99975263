export type Path = readonly (string | number)[];

/** From 1 on; columns count UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

interface Written {
  /** Where it is written in the file. A value that came from `defaults` or an overlay keeps the path that it has there. */
  readonly path: Path;
  readonly position: Position;
  /** Position of the key in front of it; list items and the document have none. */
  readonly keyPosition?: Position;
}

export interface MapNode extends Written {
  readonly kind: "map";
  readonly entries: ReadonlyMap<string, FileNode>;
}

export interface ListNode extends Written {
  readonly kind: "list";
  readonly items: readonly FileNode[];
}

export interface ScalarNode extends Written {
  readonly kind: "scalar";
  readonly value: string | number | boolean | null;
}

/** A value of the file that knows where it was written, so that problems found after merging still have their line. */
export type FileNode = MapNode | ListNode | ScalarNode;

/** One mistake, where it is in the file. */
export interface Finding {
  readonly path: Path;
  readonly position: Position;
  /** Reads on after the path. */
  readonly message: string;
}

/** `node` as plain data. */
export function plainValue(node: FileNode): unknown {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.items.map(plainValue);
  return Object.fromEntries([...node.entries].map(([key, entry]) => [key, plainValue(entry)]));
}

/** The part of `node` at a path; `undefined` where there is none. */
export function partAt(node: FileNode | undefined, path: Path): FileNode | undefined {
  const [first, ...rest] = path;
  if (first === undefined || node === undefined) return node;
  if (node.kind === "map") return partAt(node.entries.get(String(first)), rest);
  return node.kind === "list" ? partAt(node.items[Number(first)], rest) : undefined;
}

/** The entries of a map; none where `node` is something else. */
export function entriesOf(node: FileNode | undefined): ReadonlyMap<string, FileNode> {
  return node?.kind === "map" ? node.entries : new Map();
}

/** A copy of `node` with every text, but for keys, replaced. */
export function mapTexts(node: FileNode, replace: (text: string, node: ScalarNode) => string): FileNode {
  if (node.kind === "list") return { ...node, items: node.items.map((item) => mapTexts(item, replace)) };
  if (node.kind === "map") {
    const entries = [...node.entries].map(([key, entry]) => [key, mapTexts(entry, replace)] as const);
    return { ...node, entries: new Map(entries) };
  }
  return typeof node.value === "string" ? { ...node, value: replace(node.value, node) } : node;
}

/** Every scalar in `node`, as text. */
export function* textsIn(node: FileNode | undefined): Generator<string> {
  if (node === undefined) return;
  if (node.kind === "scalar") {
    if (node.value !== null) yield String(node.value);
    return;
  }
  for (const part of node.kind === "map" ? node.entries.values() : node.items) yield* textsIn(part);
}

export function findingAt(node: FileNode, message: string): Finding {
  return { path: node.path, position: positionOf(node), message };
}

/** A mistake in a key: it is at the key even where the value is a scalar. */
export function findingAtKey(node: FileNode, message: string): Finding {
  return { path: node.path, position: node.keyPosition ?? node.position, message };
}

/**
 * A mistake at `path` in `root`. A value that isn't there is missed at the nearest part around it that was written for this very place:
 * what came from `defaults` is shared, and its line would mislead.
 */
export function findingIn(root: FileNode, path: Path, message: string): Finding {
  const found = partAt(root, path);
  if (found !== undefined) return findingAt(found, message);
  for (let length = path.length - 1; length > 0; length--) {
    const around = partAt(root, path.slice(0, length));
    if (around !== undefined && !isDefault(around.path)) {
      return { path: [...around.path, ...path.slice(length)], position: positionOf(around), message };
    }
  }
  return { path: [...root.path, ...path], position: positionOf(root), message };
}

function isDefault(path: Path): boolean {
  return path[0] === "defaults" || (path[0] === "environments" && path[2] === "defaults");
}

/** Of a map, a list or an empty value, the key says more than the line below it. */
function positionOf(node: FileNode): Position {
  return node.kind === "scalar" && node.value !== null ? node.position : (node.keyPosition ?? node.position);
}
