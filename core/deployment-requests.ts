import { z } from "zod";
import type { CallOptions } from "./client-options.ts";
import { ApiError, ResponseError } from "./errors.ts";
import type { Http, RequestOptions } from "./http.ts";
import type { Spelling } from "./spelling.ts";
import { type Deployment, deploymentSchema } from "./wire/deployment.ts";
import { deploymentPath } from "./wire/paths.ts";

type DeploymentRequest = Omit<RequestOptions<Deployment>, "schema">;

/** What the answer to a write must hold at least. */
const writtenSchema = z.looseObject({ id: z.string().min(1) });

/** Requests that are answered with a deployment. */
export class DeploymentRequests {
  readonly #http: Http;
  readonly #spelling: Spelling;

  constructor(http: Http, spelling: Spelling) {
    this.#http = http;
    this.#spelling = spelling;
  }

  /** One whose answer is the whole deployment. */
  async whole(request: DeploymentRequest): Promise<Deployment> {
    const schema = this.#spelling.neutral(deploymentSchema);
    return (await this.#http.request({ ...request, schema })).body;
  }

  /** A write, which a server may answer with less than the whole deployment; then that is read. */
  async write(request: DeploymentRequest, call: CallOptions | undefined): Promise<Deployment> {
    const schema = this.#spelling.neutral(writtenSchema);
    const { body } = await this.#http.request({ ...request, ...call, schema });
    const answer = deploymentSchema.safeParse(body);
    if (answer.success) return answer.data;
    try {
      // No abort ends it: the answer's id is known to nobody yet.
      const read = { ...call, signal: undefined, idempotent: true };
      return await this.whole({ method: "GET", path: deploymentPath(body.id), ...read });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      throw new ResponseError(`Deployment ${body.id} was written and can't be read: ${error.message}`, {
        cause: error,
      });
    }
  }
}
