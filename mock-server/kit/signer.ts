import { createHmac, randomBytes } from "node:crypto";
import { isSameText } from "./same-text.ts";

/** Signs values that clients send back: upload URLs and the `state` of an authentication. */
export interface Signer {
  /** A signature in base64url. `purpose` prevents the use of one kind of signature for another. */
  sign(purpose: string, text: string): string;
  verify(purpose: string, text: string, signature: string): boolean;
}

/** @param key 32 bytes. Default: a random key, which ends with the process. */
export function createSigner(key: Buffer = randomBytes(32)): Signer {
  const sign = (purpose: string, text: string) =>
    createHmac("sha256", key).update(`${purpose}\n${text}`).digest("base64url");
  return {
    sign,
    verify: (purpose, text, signature) => isSameText(signature, sign(purpose, text)),
  };
}
