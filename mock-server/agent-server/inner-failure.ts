import { errorResponses } from "../kit/http/errors.ts";
import { HttpError } from "../kit/http/http-error.ts";
import { GraphError } from "./engine/contract.ts";
import type { ProtocolHost } from "./protocol-host.ts";

/** The status and the message that a response would have, if the operation inside a protocol's request were one itself. */
export async function innerFailure(
  { context, agent }: ProtocolHost,
  error: unknown,
): Promise<{ status: number; detail: string }> {
  const thrown = error instanceof GraphError ? new HttpError(422, error.message) : error;
  const { status, body } = await errorResponses(agent.onDefect)(context, () => {
    throw thrown;
  });
  return { status, detail: (body as { detail: string }).detail };
}
