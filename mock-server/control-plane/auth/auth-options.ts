import type { KeyedLocks } from "../../kit/keyed-locks.ts";
import type { ControlPlaneOptions } from "../control-plane-options.ts";
import type { Notifier } from "./notifier.ts";

/** Dependencies of the auth service. */
export interface AuthOptions
  extends Pick<ControlPlaneOptions, "store" | "clock" | "ids" | "redaction" | "outbound" | "signer" | "publicUrl"> {
  locks: KeyedLocks;
  /** Notified with the id of each authentication that has ended. */
  finished: Notifier;
}
