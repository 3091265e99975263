import { createHash, randomInt, randomUUID } from "node:crypto";

/** Where a mock server's identifiers and chances come from. */
export interface IdSource {
  uuid(): string;
  /** At least 0, less than 1. */
  random(): number;
}

/** Counts the draws of a seed beyond the life of a server. */
export interface DrawCounter {
  /** How many may have been drawn before. */
  start: number;
  /** Notes that so many may be drawn. Returns whether that is certain: what a transaction writes can still be undone. */
  reserve(draws: number): boolean;
}

/** How many draws are reserved at once, so that few of them are written down. */
const reservedTogether = 1000;

/** Random identifiers; with a `seed`, the same ones in the same order every time, from where `counter` says. */
export function createIdSource(seed?: number | string, counter?: DrawCounter): IdSource {
  if (seed === undefined) return { uuid: randomUUID, random: () => randomInt(2 ** 32) / 2 ** 32 };
  let drawn = counter?.start ?? 0;
  let reserved = drawn;
  let isCertain = true;
  const next = (kind: string) => {
    if (counter && (drawn >= reserved || !isCertain)) {
      const reached = Math.max(reserved, drawn + reservedTogether);
      isCertain = counter.reserve(reached);
      reserved = reached;
    }
    return createHash("sha256").update(`${seed}/${kind}/${drawn++}`).digest();
  };
  return { uuid: () => uuidFrom(next("uuid")), random: () => next("random").readUInt32BE() / 2 ** 32 };
}

/** A version 4 UUID made of the first 16 bytes. */
export function uuidFrom(bytes: Buffer): string {
  const own = Buffer.from(bytes.subarray(0, 16));
  own[6] = ((own[6] as number) & 0x0f) | 0x40;
  own[8] = ((own[8] as number) & 0x3f) | 0x80;
  const hex = own.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
