// Loaded before a bundle that runs as a process of its own: time passes sixty times faster for what asks the clock, for what
// sleeps and for what is done again and again.
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";

const factor = 60;
const realNow = Date.now;
const startedAt = realNow();
const sleep = timers.setTimeout;

Date.now = () => startedAt + (realNow() - startedAt) * factor;
timers.setTimeout = ((ms = 0, ...rest) => sleep(ms / factor, ...rest)) as typeof sleep;
syncBuiltinESMExports();

const repeat = globalThis.setInterval;
globalThis.setInterval = ((act: () => void, ms = 0) => repeat(act, ms / factor)) as typeof repeat;
