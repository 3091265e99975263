import { mockCommand } from "./mock-command.ts";
import { closeOnSignal, runCommand } from "./run-until-signal.ts";

await runCommand(mockCommand(closeOnSignal));
