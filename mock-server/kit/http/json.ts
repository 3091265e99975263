/** How deep a value that is sent may nest: what nests much deeper can be read, but never be written again. */
export const maxLevels = 500;

/** A value that nests too deep. The message is a sentence about it. */
export class TooDeepError extends SyntaxError {
  constructor(levels: number) {
    super(`The JSON nests more than ${levels} levels deep.`);
  }
}

/** Reads JSON that somebody has sent. @throws {SyntaxError} when it is none; {TooDeepError} when it nests more than `levels` deep. */
export function parseJson(text: string, levels: number = maxLevels): unknown {
  // A level takes two characters at least.
  if (text.length > 2 * levels && depthOf(text) > levels) throw new TooDeepError(levels);
  return JSON.parse(text);
}

/** How deep the brackets of a JSON text nest. */
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
