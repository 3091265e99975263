/** The address that clients reach a server by, without a slash at its end. @throws {RangeError} for one that isn't http or https, or has more than a path. */
export function readPublicUrl(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) throw new RangeError("A public URL begins with http:// or https://.");
  if (url.search !== "" || url.hash !== "" || url.username !== "" || url.password !== "") {
    throw new RangeError("A public URL has a host, a port and a path: leave out user, query and fragment.");
  }
  return url.href.replace(/\/+$/, "");
}
