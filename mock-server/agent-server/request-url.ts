import type { RequestContext } from "../kit/http/request-context.ts";

/**
 * The URL under which a client reached what lies in front of `path`, the end of the request's own path; a proxy says by
 * the usual headers where it was reached.
 */
export function urlOfRequest(context: Pick<RequestContext, "header" | "rawPath">, path: string): string {
  const forwarded = (name: string) => context.header(`x-forwarded-${name}`)?.split(",")[0]?.trim();
  const protocol = forwarded("proto") === "https" ? "https" : "http";
  const host = forwarded("host") ?? context.header("host") ?? "localhost";
  const own = context.rawPath.endsWith(path) ? context.rawPath.slice(0, -path.length) : "";
  const prefix = own === "" ? (forwarded("prefix") ?? "") : own;
  const url = URL.parse(`${protocol}://${host}${prefix}`);
  return (url?.href ?? `http://localhost${prefix}`).replace(/\/+$/, "");
}
