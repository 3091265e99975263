import { isNode, LineCounter, parseDocument } from "yaml";
import { ConfigError } from "../../../core/client/errors.ts";
import { invalidJsonAt, yamlMessage } from "../../../core/malformed-text.ts";
import { unclosedBefore } from "../../../core/unclosed.ts";

/** A parsed configuration file with line numbers. */
export interface ConfigDocument {
  content: unknown;
  /** The line, from 1, of the value at a path, or of the nearest value around it. */
  lineOf(path: readonly PropertyKey[]): number | undefined;
}

/**
 * Reads JSON or YAML.
 * @throws {ConfigError} with path and line for text that is neither.
 */
export function readConfigDocument(file: string, text: string): ConfigDocument {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, keepSourceTokens: true });
  const isJson = file.endsWith(".json");
  const refuseUnclosed = (offset: number): void => {
    const opening = unclosedBefore(document, offset);
    if (opening === undefined) return;
    const { line } = lines.linePos(opening);
    throw new ConfigError(`${file}:${line} opens a quote or bracket that is never closed.`, { path: file, line });
  };
  let content: unknown;
  if (isJson) {
    const offset = invalidJsonAt(text);
    if (offset !== undefined) {
      if (offset >= text.trimEnd().length) refuseUnclosed(text.length);
      const { line } = lines.linePos(offset);
      throw new ConfigError(`${file}:${line} is not valid JSON.`, { path: file, line });
    }
    content = JSON.parse(text);
  } else {
    for (const error of document.errors) refuseUnclosed(error.pos[0]);
    const [error] = document.errors;
    if (error) {
      const { line } = lines.linePos(error.pos[0]);
      throw new ConfigError(`${file}:${line} ${yamlMessage(error.code)}`, { path: file, line });
    }
    content = document.toJS() ?? {};
  }
  return {
    content,
    lineOf(path) {
      for (let length = path.length; length > 0; length--) {
        const node = document.getIn(path.slice(0, length), true);
        if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
      }
      return undefined;
    },
  };
}
