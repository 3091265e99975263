// Loaded into the provider's process before everything else: pauses between tries take a hundredth of their time. The
// clock stays as it is.
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";

const sleep = timers.setTimeout;
timers.setTimeout = ((ms = 0, ...rest) => sleep(ms / 100, ...rest)) as typeof sleep;
syncBuiltinESMExports();
