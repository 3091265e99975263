import { expect, test } from "vitest";
import { terminalPicture } from "../../../scripts/terminal-picture.ts";

const escapeCharacter = String.fromCharCode(27);

test("colors and bold text of a terminal are in its picture, and other escape sequences aren't", () => {
  const picture = terminalPicture("a build", [
    `${escapeCharacter}[1m${escapeCharacter}[38;5;2m+ created${escapeCharacter}[0m <agent>`,
    `${escapeCharacter}[2Kdone`,
  ]);
  expect(picture).toContain("<title>a build</title>");
  expect(picture).toContain('<tspan fill="#7ee787" font-weight="bold">+ created</tspan>');
  expect(picture).toContain('<tspan fill="#e6edf3"> &lt;agent></tspan>');
  expect(picture).toContain('<tspan fill="#e6edf3">done</tspan>');
  expect(picture).not.toContain(escapeCharacter);
});
