import type { Handler } from "../kit/http/http-response.ts";

/** Adds one method of one path of the admin API. */
export type ServeAdmin = (method: string, path: string, handle: Handler) => void;
