/** Maximum depth of received JSON: deeper values could be parsed, but not serialized again. */
export const maxLevels = 500;

/** Thrown for JSON that is nested too deeply. The message is a sentence for clients. */
export class TooDeepError extends SyntaxError {
  constructor(levels: number) {
    super(`The JSON is nested more than ${levels} levels deep.`);
  }
}

/** Parses received JSON. @throws {SyntaxError} for invalid JSON; {TooDeepError} for more than `levels` levels. */
export function parseJson(text: string, levels: number = maxLevels): unknown {
  // Each level takes at least two characters.
  if (text.length > 2 * levels && depthOf(text) > levels) throw new TooDeepError(levels);
  return JSON.parse(text);
}

/** Nesting depth of the brackets in a JSON text. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (isInString) {
      if (character === "\\") index++;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === "[" || character === "{") deepest = Math.max(deepest, ++depth);
    else if (character === "]" || character === "}") depth--;
  }
  return deepest;
}
