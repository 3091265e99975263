import { createHash, randomBytes, randomFillSync } from "node:crypto";

/** Where a mock server's identifiers and chances come from. */
export interface IdSource {
  uuid(): string;
  /** At least 0, less than 1. */
  random(): number;
}

/** Random identifiers; with a `seed`, the same ones in the same order every time. */
export function createIdSource(seed?: number | string): IdSource {
  if (seed === undefined) {
    return { uuid: randomIdentifier, random: () => randomBytes(4).readUInt32BE() / 2 ** 32 };
  }
  let drawn = 0;
  const next = (kind: string) => createHash("sha256").update(`${seed}/${kind}/${drawn++}`).digest();
  return { uuid: () => uuidFrom(next("uuid")), random: () => next("random").readUInt32BE() / 2 ** 32 };
}

/** Drawn together, since each draw takes the same time for one identifier as for many. */
const drawnTogether = 256;
const pool = Buffer.alloc(16 * drawnTogether);
let position = pool.length;

function randomIdentifier(): string {
  if (position === pool.length) {
    randomFillSync(pool);
    position = 0;
  }
  position += 16;
  return uuidFrom(pool, position - 16);
}

const digits = Buffer.from("0123456789abcdef");
const text = Buffer.from("00000000-0000-4000-8000-000000000000");
/** Where the two digits of each byte stand in the text. */
const places = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];

/**
 * A version 4 UUID made of 16 bytes. Written as a whole: Node's own function joins it of twenty pieces, which are put together when it is first
 * used as a key, and that takes four times as long.
 */
export function uuidFrom(bytes: Buffer, start = 0): string {
  for (let index = 0; index < 16; index++) {
    let byte = bytes[start + index] as number;
    if (index === 6) byte = (byte & 0x0f) | 0x40;
    else if (index === 8) byte = (byte & 0x3f) | 0x80;
    const place = places[index] as number;
    text[place] = digits[byte >> 4] as number;
    text[place + 1] = digits[byte & 0x0f] as number;
  }
  return text.toString("latin1");
}
