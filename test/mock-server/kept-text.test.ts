import { expect, test } from "vitest";
import { TextKeeper } from "../../mock-server/kept-text.ts";

const alphabets = ["plain", "é", "日本語", "🚀", '{"a":"\\ud800"}', ""];

test("texts come back as they were, of whatever characters, over many chunks", () => {
  const keeper = new TextKeeper();
  const texts = Array.from({ length: 2000 }, (_, number) =>
    `${number} ${alphabets[number % alphabets.length]}`.repeat(1 + ((number * 37) % 400)),
  );
  const kept = texts.map((text) => keeper.keep(text));
  expect(kept.map(String)).toEqual(texts);
  expect(kept.map(({ length }) => length)).toEqual(texts.map(({ length }) => length));
});

test("the longest text of the longest characters has room", () => {
  const keeper = new TextKeeper();
  const text = "\u{ffff}".repeat(4096);
  const kept = Array.from({ length: 50 }, () => keeper.keep(text));
  expect(kept.every((one) => String(one) === text)).toBe(true);
});
