/** What is known of a request whose connection failed. */
export interface ConnectionFailure {
  message: string;
  /** False when the request surely never reached the control plane. */
  sent: boolean;
  /** Another attempt would end the same. */
  isHopeless: boolean;
  hint: string | undefined;
}

/** Reads the error that undici or the socket below it gave. */
export function readConnectionFailure(error: unknown): ConnectionFailure {
  const { code, text } = describeCause(error);
  return {
    message: text,
    sent: !neverSent.has(code) && !isProxyRefusal(text),
    isHopeless: hopeless.has(code),
    hint: hintFor(code, text),
  };
}

/** Causes that are only seen before a request was written to the connection. */
const neverSent: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_INVALID_ARG",
]);

/** Causes that another attempt doesn't mend. */
const hopeless: ReadonlySet<string> = new Set(["ENOTFOUND", "UND_ERR_INVALID_ARG"]);

/** A tunnel that a proxy didn't open carried nothing; undici tells it by its message alone. */
function isProxyRefusal(text: string): boolean {
  return text.includes("when HTTP Tunneling");
}

function hintFor(code: string, text: string): string | undefined {
  if (code === "ENOTFOUND") return "Check the base URL: this host name doesn't exist.";
  if (isProxyRefusal(text)) return "The proxy of HTTPS_PROXY refused: check its address and NO_PROXY.";
  return "Check that this address can be reached from here (network, proxy, base URL), then run again.";
}

function describeCause(error: unknown): { code: string; text: string } {
  let cause: unknown = error;
  while (cause instanceof Error) {
    // A connection tried over IPv4 and IPv6 fails with one error that holds both.
    if (cause instanceof AggregateError && cause.errors.length > 0) cause = cause.errors[0];
    const { code } = cause as { code?: unknown };
    if (typeof code === "string") return { code, text: `${(cause as Error).message || code} (${code})` };
    if ((cause as Error).cause === undefined) break;
    cause = (cause as Error).cause;
  }
  return { code: "", text: cause instanceof Error ? cause.message : String(cause) };
}
