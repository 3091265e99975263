import { isLoopbackName } from "./kit/loopback.ts";

/** Prints a notice on stderr where a server listens for other machines as well, with what `protection` it has. */
export function sayIfReachable(host: string, logFormat: "pretty" | "json", protection: string): void {
  if (isLoopbackName(host)) return;
  const message = `The server listens on ${host}, where other machines may reach it. ${protection}`;
  process.stderr.write(
    logFormat === "json" ? `${JSON.stringify({ event: "notice", message })}\n` : `notice: ${message}\n`,
  );
}
