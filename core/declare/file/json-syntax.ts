import { type ParseError, parse } from "jsonc-parser";

/**
 * Where `json` stops being JSON, as an offset; `undefined` for valid JSON. The messages of `JSON.parse` quote the text
 * around a mistake, which may be a secret, and often lack the position.
 */
export function invalidJsonAt(json: string): number | undefined {
  const errors: ParseError[] = [];
  parse(json, errors, { disallowComments: true, allowTrailingComma: false });
  return errors[0]?.offset;
}
