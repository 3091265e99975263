import { devCommand } from "./dev-command.ts";
import { closeOnSignal, runCommand } from "./run-until-signal.ts";

await runCommand(devCommand(closeOnSignal));
