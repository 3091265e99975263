import { isIPv4 } from "node:net";

/** Whether a host name in URL notation is this machine's. */
export function isLoopbackName(name: string): boolean {
  return (
    name === "localhost" ||
    name.endsWith(".localhost") ||
    (isIPv4(name) && name.startsWith("127.")) ||
    name === "[::1]" ||
    name === "::1"
  );
}

/** Whether an `Origin` header names a page of this machine. */
export function isLoopbackOrigin(origin: string): boolean {
  return isLoopbackName(URL.parse(origin)?.hostname ?? "");
}
