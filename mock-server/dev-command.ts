import { Command, Option } from "commander";
import { allowHostOption, graphsOption, readPort, workerMemoryOption } from "./command-options.ts";
import type { DevFlags, StartedDev } from "./start-dev.ts";

/** The `dev` command. `run` is what it does with the server once it listens. */
export function devCommand(run: (server: StartedDev) => void): Command {
  return new Command("dev")
    .description("Run one agent server at the root.")
    .option("--port <port>", "port to listen on; 0 picks a free one", readPort, 2024)
    .option("--host <host>", "address to listen on", "127.0.0.1")
    .addOption(allowHostOption)
    .option(
      "--config <file>",
      "graph configuration file (default: graph.json or langgraph.json of this folder, else built-in graphs)",
    )
    .option("--graphs <file>", `${graphsOption}, in place of a graph configuration file`)
    .option("--data-dir <folder>", "keep state in this folder, so that a later start continues from it")
    .addOption(workerMemoryOption)
    .option("--no-reload", "keep serving the graphs that were loaded first when files change")
    .addOption(
      new Option("--log-format <format>", "format of what the server prints")
        .choices(["pretty", "json"])
        .default("pretty"),
    )
    .action(async (flags: DevFlags) => {
      const { startDev } = await import("./start-dev.ts");
      run(await startDev(flags));
    });
}
