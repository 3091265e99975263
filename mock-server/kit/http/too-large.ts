import { HttpError } from "./http-error.ts";

/** SQLite's result code for a row that is too large. */
const tooBigCode = 18;

/** Whether an error is due to a string or row over the maximum of about 512 Mi characters. */
export function isTooLarge(error: unknown): boolean {
  const { code, errcode = 0 } = (error ?? {}) as { code?: string; errcode?: number };
  const isTooLong = error instanceof RangeError && error.message === "Invalid string length";
  return isTooLong || code === "ERR_STRING_TOO_LONG" || errcode % 256 === tooBigCode;
}

/** The refusal of a request whose state or response is too large. */
export function tooLarge(): HttpError {
  return new HttpError(
    507,
    "The data of this request is larger than the server can handle in one piece (512 Mi characters): request less, with a smaller limit or with select.",
  );
}
