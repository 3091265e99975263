import { createHash, randomBytes, randomUUID } from "node:crypto";

/** Where a mock server's identifiers and chances come from. */
export interface IdSource {
  uuid(): string;
  /** At least 0, less than 1. */
  random(): number;
}

/** Random identifiers; with a `seed`, the same ones in the same order every time. */
export function createIdSource(seed?: number | string): IdSource {
  if (seed === undefined) {
    return { uuid: randomUUID, random: () => randomBytes(4).readUInt32BE() / 2 ** 32 };
  }
  let drawn = 0;
  const next = (kind: string) => createHash("sha256").update(`${seed}/${kind}/${drawn++}`).digest();
  return { uuid: () => uuidFrom(next("uuid")), random: () => next("random").readUInt32BE() / 2 ** 32 };
}

/** A version 4 UUID made of the first 16 bytes. */
export function uuidFrom(bytes: Buffer): string {
  const data = Buffer.from(bytes.subarray(0, 16));
  data[6] = ((data[6] as number) & 0x0f) | 0x40;
  data[8] = ((data[8] as number) & 0x3f) | 0x80;
  return data.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
