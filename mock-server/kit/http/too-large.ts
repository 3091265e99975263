import { HttpError } from "./http-error.ts";

/** SQLite's result code for a row that is larger than it takes. */
const tooBigCode = 18;

/** What is larger than the server can hold as one text, or one row, about 512 Mi characters: by the error that making it throws. */
export function isTooLarge(error: unknown): boolean {
  const { code, errcode = 0 } = (error ?? {}) as { code?: string; errcode?: number };
  const isTooLong = error instanceof RangeError && error.message === "Invalid string length";
  return isTooLong || code === "ERR_STRING_TOO_LONG" || errcode % 256 === tooBigCode;
}

/** The refusal of a request whose state or response would be larger than that. */
export function tooLarge(): HttpError {
  return new HttpError(
    507,
    "What this request reads or makes is larger than the server can hold in one piece (512 Mi characters): ask for less, by a smaller limit or by select.",
  );
}
