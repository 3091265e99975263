// Preloaded into the provider's process: delays between retries take a hundredth of their time. The clock is unchanged.
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";

const sleep = timers.setTimeout;
timers.setTimeout = ((ms = 0, ...rest) => sleep(ms / 100, ...rest)) as typeof sleep;
syncBuiltinESMExports();
