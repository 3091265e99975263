import type { Handler } from "../kit/http/http-response.ts";

/** Adds a route to the admin API. */
export type ServeAdmin = (method: string, path: string, handle: Handler) => void;
