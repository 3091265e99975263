import { A2AError, RequestMalformedError } from "@a2a-js/sdk/errors";
import { errorResponses } from "../../kit/http/errors.ts";
import { HttpError } from "../../kit/http/http-error.ts";
import { GraphError } from "../engine/contract.ts";
import type { ProtocolHost } from "../protocol-host.ts";

interface ErrorOptions {
  /** The error for what the caller can't find. @default that of invalid parameters */
  missing?: (() => Error) | undefined;
  /** Called with a refusal of the auth handlers, which is then thrown. */
  onRefusal: (error: HttpError) => void;
}

/** Turns what would be an error response of another operation into an error of the protocol, with its message. */
export async function withProtocolErrors<Result>(
  { context, agent }: ProtocolHost,
  work: () => Promise<Result>,
  { missing, onRefusal }: ErrorOptions,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof A2AError) throw error;
    const thrown = error instanceof GraphError ? new HttpError(422, error.message) : error;
    if (thrown instanceof HttpError && (thrown.status === 401 || thrown.status === 403)) {
      onRefusal(thrown);
      throw thrown;
    }
    const { status, body } = await errorResponses(agent.onDefect)(context, () => {
      throw thrown;
    });
    const { detail } = body as { detail: string };
    if (status === 404 && missing) throw missing();
    throw status < 500 ? new RequestMalformedError(detail) : new Error(detail);
  }
}
