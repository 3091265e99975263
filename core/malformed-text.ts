import { type ParseError, parse } from "jsonc-parser";
import type { ErrorCode } from "yaml";

/** Messages for YAML's errors. Those of the parser may quote the text, which may be a secret. */
const yamlMessages: Partial<Record<ErrorCode, string>> = {
  TAB_AS_INDENT: "is indented with a tab. YAML takes spaces only.",
  MULTIPLE_DOCS: "begins a second YAML document. Keep one document in a file.",
  BLOCK_AS_IMPLICIT_KEY:
    "has a second colon in one line, or more indentation than the key above. Put a string with a colon in quotes.",
  MULTILINE_IMPLICIT_KEY: "is a key over several lines. Check the indentation.",
  BLOCK_IN_FLOW: "has a second colon inside of { } or [ ]. Put a string with a colon in quotes.",
  BAD_INDENT: "is indented differently from what it belongs to.",
  MISSING_CHAR: "lacks the colon after a key, or the comma between two items.",
  BAD_SCALAR_START: "begins with a character that YAML reserves. Put the string in quotes.",
  BAD_DQ_ESCAPE: "has a backslash that YAML doesn't know in double quotes. Write it twice, or use single quotes.",
  BAD_ALIAS: "is not a valid alias or anchor.",
  RESOURCE_EXHAUSTION: "is nested more than 100 deep.",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of the file
  UNEXPECTED_TOKEN: "can't be here. Check indentation and quotes: inside of { } and [ ], ${…} needs quotes, too.",
};

/** What is wrong at the place of an error of YAML's parser, as the end of a sentence. */
export function yamlMessage(code: ErrorCode): string {
  return yamlMessages[code] ?? "is not valid YAML.";
}

/**
 * Where `json` stops being JSON, as an offset; `undefined` for valid JSON. The messages of `JSON.parse` quote the text
 * around a mistake, which may be a secret, and often lack the position.
 */
export function invalidJsonAt(json: string): number | undefined {
  const errors: ParseError[] = [];
  parse(json, errors, { disallowComments: true, allowTrailingComma: false });
  return errors[0]?.offset;
}
