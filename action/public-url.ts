/**
 * An address without user name, password, query and fragment, any of which may hold a credential. Anything but http and
 * https stays unchanged.
 */
export function publicUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return text;
  if (url.username + url.password + url.search + url.hash === "") return text;
  for (const part of ["username", "password", "search", "hash"] as const) url[part] = "";
  return url.href;
}
