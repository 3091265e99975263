import { isNode, LineCounter, parseDocument } from "yaml";
import { ConfigError } from "../../../core/client/errors.ts";
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
  const refuseUnclosed = (offset: number, cause: unknown): void => {
    const opening = unclosedBefore(document, offset);
    if (opening === undefined) return;
    const { line } = lines.linePos(opening);
    throw new ConfigError(`${file}:${line} opens a quote or bracket that is never closed.`, {
      path: file,
      line,
      cause,
    });
  };
  let content: unknown;
  if (isJson) {
    try {
      content = JSON.parse(text);
    } catch (error) {
      const { message } = error as Error;
      const position = Number(/position (\d+)/.exec(message)?.[1] ?? text.length);
      if (position >= text.trimEnd().length) refuseUnclosed(text.length, error);
      const { line } = lines.linePos(position);
      throw new ConfigError(`${file}:${line} is not valid JSON: ${message}`, { path: file, line, cause: error });
    }
  } else {
    for (const error of document.errors) refuseUnclosed(error.pos[0], error);
    const [error] = document.errors;
    if (error) {
      const line = lines.linePos(error.pos[0]).line;
      const [reason] = error.message.split(" at line");
      throw new ConfigError(`${file}:${line} is not valid YAML: ${reason}`, { path: file, line, cause: error });
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
