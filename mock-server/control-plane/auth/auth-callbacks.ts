import { badRequest } from "../../kit/http/http-error.ts";
import { OutboundError } from "../../kit/outbound.ts";
import type { ProviderRecord } from "../store/auth-records.ts";
import type { Tenancy } from "../tenancy.ts";
import type { AuthOptions } from "./auth-options.ts";
import { ConnectionService } from "./connection-service.ts";
import { exchangeCode } from "./token-endpoint.ts";
import { TokenService } from "./token-service.ts";

const purpose = "auth-state";

/** The `state` parameter of an authentication: its signed id. */
export function signedState({ signer }: Pick<AuthOptions, "signer">, sessionId: string): string {
  return `${sessionId}.${signer.sign(purpose, sessionId)}`;
}

/** The parameters with which a provider sends the browser back. */
export interface Callback {
  providerId: string;
  state: string | null | undefined;
  code: string | null | undefined;
  error?: string | null | undefined;
  errorDescription?: string | null | undefined;
}

/** Completes authentications of any tenancy: a signed state is the permission to complete it. */
export class AuthCallbacks {
  readonly #options: AuthOptions;

  constructor(options: AuthOptions) {
    this.#options = options;
  }

  /**
   * Completes an authentication with the provider's callback, and returns the provider. A state is valid once: used,
   * forged and expired ones are refused, and so is a state of another provider or, where `tenancy` is given, of another
   * workspace.
   * @throws {HttpError} 400 with the reason.
   */
  async finish(callback: Callback, tenancy?: Tenancy): Promise<ProviderRecord> {
    const { store, clock, signer, locks, finished } = this.#options;
    const [id = "", signature = ""] = (callback.state ?? "").split(".");
    if (!signer.verify(purpose, id, signature)) throw badRequest("The state isn't signed by this server.");
    return locks.run(`auth/${id}`, async () => {
      const { authSessions, providers } = store;
      const session = authSessions.get(id);
      const provider = session && providers.get(session.providerRecordId);
      const isOfOtherTenancy =
        tenancy && (session?.tenantId !== tenancy.tenantId || session.edition !== tenancy.edition);
      if (
        !session ||
        !provider ||
        isOfOtherTenancy ||
        ![provider.providerId, provider.id].includes(callback.providerId)
      ) {
        throw badRequest("The state belongs to no authentication with this provider.");
      }
      if (session.status !== "pending") throw badRequest("The state was used already: start again.");
      if (session.expiresAt <= clock.now()) throw badRequest("The authentication has expired: start again.");
      const { edition, tenantId, agentId, createdBy } = session;
      const owner = { edition, tenantId };
      try {
        if (callback.error) throw new OutboundError(callback.errorDescription || callback.error);
        if (!callback.code) throw new OutboundError("the provider returned no code.");
        const { redirectUri, codeVerifier } = session;
        const issued = await exchangeCode(this.#options, provider, callback.code, redirectUri, codeVerifier);
        store.transaction(() => {
          const token = new TokenService(this.#options, owner).store(session, issued);
          if (agentId !== null) new ConnectionService(this.#options, owner).connect(agentId, token.id, createdBy);
          authSessions.put({ ...session, status: "completed", tokenId: token.id, codeVerifier: null });
        });
        return provider;
      } catch (error) {
        if (!(error instanceof OutboundError)) throw error;
        authSessions.put({ ...session, status: "failed", codeVerifier: null });
        throw badRequest(`The authentication failed: ${error.message}`);
      } finally {
        finished.notify(id);
      }
    });
  }
}
