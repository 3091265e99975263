import { isIPv4 } from "node:net";

/** Whether a host name, as it stands in a URL, means this machine. */
export function isLoopbackName(name: string): boolean {
  return (
    name === "localhost" ||
    name.endsWith(".localhost") ||
    (isIPv4(name) && name.startsWith("127.")) ||
    name === "[::1]" ||
    name === "::1"
  );
}

/** Whether the page that a request's `Origin` names is of this machine. */
export function isLoopbackOrigin(origin: string): boolean {
  return isLoopbackName(URL.parse(origin)?.hostname ?? "");
}
