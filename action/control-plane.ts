import { ControlPlane } from "../core/client/client.ts";
import type { Redactor } from "../core/redact.ts";
import type { Settings } from "../core/settings.ts";
import type { Console } from "./console.ts";

/** The platform's API, whose messages go to the log of the step. */
export function connectToControlPlane(settings: Settings, redactor: Redactor, console: Console): ControlPlane {
  return new ControlPlane({
    ...settings,
    redactor,
    userAgent: "action",
    logger: {
      debug: (message) => console.debug(message),
      info: (message) => console.info(message),
      warn: (message) => console.info(message),
      error: (message) => console.warning(message),
    },
  });
}
