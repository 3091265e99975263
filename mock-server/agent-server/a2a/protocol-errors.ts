import { A2AError, RequestMalformedError } from "@a2a-js/sdk/errors";
import { HttpError } from "../../kit/http/http-error.ts";
import { innerFailure } from "../inner-failure.ts";
import type { ProtocolHost } from "../protocol-host.ts";

interface ErrorOptions {
  /** The error for what the caller can't find. @default that of invalid parameters */
  missing?: (() => Error) | undefined;
  /** Called with a refusal of the auth handlers, which is then thrown. */
  onRefusal: (error: HttpError) => void;
}

/** Turns what would be an error response of another operation into an error of the protocol, with its message. */
export async function withProtocolErrors<Result>(
  host: ProtocolHost,
  work: () => Promise<Result>,
  { missing, onRefusal }: ErrorOptions,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof A2AError) throw error;
    if (error instanceof HttpError && (error.status === 401 || error.status === 403)) {
      onRefusal(error);
      throw error;
    }
    const { status, detail } = await innerFailure(host, error);
    if (status === 404 && missing) throw missing();
    throw status < 500 ? new RequestMalformedError(detail) : new Error(detail);
  }
}
