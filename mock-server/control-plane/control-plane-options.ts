import type { Clock } from "../kit/clock.ts";
import type { IdSource } from "../kit/ids.ts";
import type { Outbound } from "../kit/outbound.ts";
import type { Redaction } from "../kit/redaction.ts";
import type { Signer } from "../kit/signer.ts";
import type { ApiKeys } from "./auth/api-keys.ts";
import type { Builds } from "./builds.ts";
import type { TransitionTable } from "./revisions/transition-settings.ts";
import type { ControlPlaneStore } from "./store/control-plane-store.ts";

/** Dependencies of the control planes; each service picks the ones it uses. */
export interface ControlPlaneOptions {
  store: ControlPlaneStore;
  clock: Clock;
  ids: IdSource;
  redaction: Redaction;
  outbound: Outbound;
  signer: Signer;
  apiKeys: ApiKeys;
  transitions: TransitionTable;
  builds: Builds;
  /** Whether to refuse what is otherwise tolerated, such as unknown fields. */
  strict: boolean;
  /** Called with a sentence for each part of a request that has no effect. */
  warn(message: string): void;
  /** The URL at which clients reach the server, without a trailing slash. */
  publicUrl(): string;
  /** The URL of a deployment's agent server. */
  agentUrl(deploymentId: string): string;
  /** Called in the transaction that removes a deployment and all that belongs to it. */
  onRemoved(deploymentId: string): void;
}
