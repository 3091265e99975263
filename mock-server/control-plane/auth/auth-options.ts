import type { KeyedLocks } from "../../kit/keyed-locks.ts";
import type { ControlPlaneOptions } from "../control-plane-options.ts";
import type { Notifier } from "./notifier.ts";

/** What the auth service is made of. */
export interface AuthOptions
  extends Pick<ControlPlaneOptions, "store" | "clock" | "ids" | "redaction" | "outbound" | "signer" | "publicUrl"> {
  locks: KeyedLocks;
  /** Notified of the id of an authentication that has ended. */
  finished: Notifier;
}
