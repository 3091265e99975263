import { Command, Option } from "commander";
import { allowHostOption, graphsOption, readHost, readPort, workerMemoryOption } from "./command-options.ts";
import type { DevFlags, StartedDev } from "./start-dev.ts";

/** The `dev` command. Calls `run` once the server listens. */
export function devCommand(run: (server: StartedDev) => void): Command {
  return new Command("dev")
    .description("Run one agent server at the root.")
    .option("--port <port>", "port to listen on; 0 picks a free one", readPort, 2024)
    .option("--host <host>", "address to listen on", readHost, "127.0.0.1")
    .addOption(allowHostOption)
    .option(
      "--config <file>",
      "graph configuration file (default: graph.json or langgraph.json in this folder, or the built-in graphs)",
    )
    .option("--graphs <file>", `${graphsOption}, instead of a graph configuration file`)
    .option("--data-dir <folder>", "store state in this folder, so that a later start continues from it")
    .addOption(workerMemoryOption)
    .option("--no-reload", "don't load graphs again when their files change")
    .addOption(
      new Option("--log-format <format>", "format of the output").choices(["pretty", "json"]).default("pretty"),
    )
    .action(async (flags: DevFlags) => {
      const { startDev } = await import("./start-dev.ts");
      run(await startDev(flags));
    });
}
