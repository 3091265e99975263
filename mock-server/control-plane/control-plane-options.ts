import type { Clock } from "../kit/clock.ts";
import type { IdSource } from "../kit/ids.ts";
import type { Outbound } from "../kit/outbound.ts";
import type { Redaction } from "../kit/redaction.ts";
import type { Signer } from "../kit/signer.ts";
import type { ApiKeys } from "./auth/api-keys.ts";
import type { Builds } from "./builds.ts";
import type { TransitionTable } from "./revisions/transition-settings.ts";
import type { ControlPlaneStore } from "./store/control-plane-store.ts";

/** What a control plane is made of. Each service picks what it uses. */
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
  /** Whether requests are refused for what servers usually forgive. */
  strict: boolean;
  /** Takes what of a request does nothing, in a sentence, as often as it comes. */
  warn(message: string): void;
  /** Where browsers and clients reach the server, without a slash at the end. */
  publicUrl(): string;
  /** Where the agent server of a deployment is reached. */
  agentUrl(deploymentId: string): string;
  /** Called when a deployment and all that belongs to it are gone. */
  onRemoved(deploymentId: string): void;
}
