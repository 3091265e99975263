// Preloaded into the process of a bundle: clock, timeouts and intervals run sixty times faster.
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";

const factor = 60;
const realNow = Date.now;
const startedAt = realNow();
const sleep = timers.setTimeout;
const repeat = globalThis.setInterval;

Date.now = () => startedAt + (realNow() - startedAt) * factor;
timers.setTimeout = ((ms = 0, ...rest) => sleep(ms / factor, ...rest)) as typeof sleep;
globalThis.setInterval = ((act: () => void, ms = 0) => repeat(act, ms / factor)) as typeof setInterval;
syncBuiltinESMExports();
