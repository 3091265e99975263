/**
 * Reads a public URL and removes the trailing slash.
 * @throws {RangeError} for one that isn't http or https, or has a user, query or fragment.
 */
export function readPublicUrl(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new RangeError("A public URL must begin with http:// or https://.");
  if (url.search !== "" || url.hash !== "" || url.username !== "" || url.password !== "") {
    throw new RangeError("A public URL consists of host, port and path: remove user, query and fragment.");
  }
  return url.href.replace(/\/+$/, "");
}
