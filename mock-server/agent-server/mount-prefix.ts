import type { HttpResponse } from "../kit/http/http-response.ts";

/**
 * The path behind a project's mount prefix; `undefined` for a path without it. Clients append a `Location` to their
 * base URL, which includes the prefix already, so a repeated prefix counts once.
 */
export function behindPrefix(path: string, prefix: string): string | undefined {
  if (prefix === "") return path;
  const rest = withoutPrefix(path, prefix);
  return rest === undefined ? undefined : (withoutPrefix(rest, prefix) ?? rest);
}

/** The response with the prefix in front of the paths in its headers. */
export function withPrefixedAddresses(response: HttpResponse, prefix: string): HttpResponse {
  if (prefix === "" || response.headers === undefined) return response;
  const headers = { ...response.headers };
  for (const name of ["location", "content-location"]) {
    const address = headers[name];
    if (typeof address === "string") headers[name] = prefix + address;
  }
  return { ...response, headers };
}

function withoutPrefix(path: string, prefix: string): string | undefined {
  if (path === prefix) return "/";
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : undefined;
}
