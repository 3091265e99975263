import { createHash, randomInt, randomUUID } from "node:crypto";

/** The source of identifiers and random numbers. */
export interface IdSource {
  uuid(): string;
  /** A number from 0 (inclusive) to 1 (exclusive). */
  random(): number;
}

/** Persists how many values of a seed were drawn. */
export interface DrawCounter {
  /** The number of values that earlier servers may have drawn. */
  start: number;
  /** Stores that this many values may be drawn. False within a transaction, which may still be rolled back. */
  reserve(draws: number): boolean;
}

/** Number of draws that are reserved together, to write rarely. */
const reservedTogether = 1000;

/** A source of random identifiers; with a `seed` deterministic, continuing from `counter`. */
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
