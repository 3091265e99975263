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
    return { uuid: randomUuids(), random: () => randomBytes(4).readUInt32BE() / 2 ** 32 };
  }
  let drawn = 0;
  const next = (kind: string) => createHash("sha256").update(`${seed}/${kind}/${drawn++}`).digest();
  return { uuid: () => uuidFrom(next("uuid")), random: () => next("random").readUInt32BE() / 2 ** 32 };
}

/** How many identifiers are drawn at once. */
const drawnAtOnce = 128;

/** Draws random UUIDs. Node's own come as fifteen joined pieces, which whoever looks one up has to put together first: that takes twice as long as all of this. */
function randomUuids(): () => string {
  const pool = Buffer.alloc(16 * drawnAtOnce);
  let next = pool.length;
  return () => {
    if (next === pool.length) {
      randomFillSync(pool);
      next = 0;
    }
    next += 16;
    return uuidFrom(pool, next - 16);
  };
}

const digits = Buffer.from("0123456789abcdef");
const hyphen = 0x2d;
const written = Buffer.alloc(36);

/** A version 4 UUID made of the 16 bytes from `start` on. */
export function uuidFrom(bytes: Uint8Array, start = 0): string {
  let position = 0;
  for (let index = 0; index < 16; index++) {
    let byte = bytes[start + index] as number;
    if (index === 6) byte = (byte & 0x0f) | 0x40;
    if (index === 8) byte = (byte & 0x3f) | 0x80;
    if (index === 4 || index === 6 || index === 8 || index === 10) written[position++] = hyphen;
    written[position++] = digits[byte >> 4] as number;
    written[position++] = digits[byte & 0x0f] as number;
  }
  return written.toString("latin1");
}
