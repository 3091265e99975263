import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type DynamicProcess, InitFailure, type Properties, startDynamicProcess } from "../pulumi/dynamic-process.ts";

/** Commands after which a process is replaced, since each leaves something in memory. */
const maxCommands = 150;

/**
 * Provider processes for many commands. The real engine starts one for each command; here one serves many, and its
 * modules are reset in between: each command gets its own provider text, which loads the package's modules again. After
 * a kill, a prewarmed process takes over.
 */
export class ProviderProcesses implements AsyncDisposable {
  readonly #start: () => Promise<DynamicProcess>;
  readonly #originals = new Map<string, string>();
  #process: DynamicProcess;
  #prewarmed: Promise<DynamicProcess>;
  #isDead = false;
  #commands = 0;
  #total = 0;

  private constructor(start: () => Promise<DynamicProcess>, process: DynamicProcess) {
    this.#start = start;
    this.#process = process;
    this.#prewarmed = start();
  }

  static async start(options: {
    folder: string;
    engine: string;
    environment: Readonly<Record<string, string>>;
  }): Promise<ProviderProcesses> {
    const start = async () => {
      const quick = pathToFileURL(join(import.meta.dirname, "quick-sleeps.ts")).href;
      const started = await startDynamicProcess({
        cwd: options.folder,
        engine: options.engine,
        environment: { ...options.environment, NODE_OPTIONS: `--import=${quick}`, NODE_NO_WARNINGS: "1" },
      });
      await started.configure({});
      return started;
    };
    return new ProviderProcesses(start, await start());
  }

  /** The provider of a new command. */
  async forCommand(): Promise<DynamicProcess> {
    this.#commands += 1;
    this.#total += 1;
    if (this.#isDead || this.#commands > maxCommands) {
      if (!this.#isDead) await this.#process.kill("SIGKILL");
      this.#process = await this.#prewarmed;
      this.#prewarmed = this.#start();
      this.#isDead = false;
      this.#commands = 1;
    }
    return this.#forgetful(this.#process);
  }

  /** Kills the current process with SIGKILL. */
  async kill(): Promise<void> {
    this.#isDead = true;
    await this.#process.kill("SIGKILL");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isDead) await this.#process.kill("SIGKILL");
    await (await this.#prewarmed).kill("SIGKILL");
  }

  #forgetful(process: DynamicProcess): DynamicProcess {
    const run = this.#total;
    const there = (properties: Properties) => this.#withText(properties, (text) => this.#textFor(text, run));
    const back = (properties: Properties) => this.#withText(properties, (text) => this.#originals.get(text) ?? text);
    const repaired = (error: unknown): never => {
      if (error instanceof InitFailure) {
        throw new InitFailure(error.message, error.id, back(error.properties), error.reasons);
      }
      throw error;
    };
    return {
      ...process,
      check: async (urn, olds, news) => {
        const result = await process.check(urn, there(olds), there(news));
        return { ...result, inputs: back(result.inputs) };
      },
      diff: (urn, id, olds, news) => process.diff(urn, id, there(olds), there(news)),
      create: async (urn, inputs) => {
        const result = await process.create(urn, there(inputs)).catch(repaired);
        return { ...result, outputs: back(result.outputs) };
      },
      update: async (urn, id, olds, news) =>
        back(await process.update(urn, id, there(olds), there(news)).catch(repaired)),
      read: async (urn, id, outputs, inputs) => {
        const result = await process.read(urn, id, there(outputs), there(inputs));
        return {
          ...result,
          outputs: back(result.outputs),
          ...(result.inputs === undefined ? {} : { inputs: back(result.inputs) }),
        };
      },
      delete: (urn, id, outputs) => process.delete(urn, id, there(outputs)),
    };
  }

  #withText(properties: Properties, change: (text: string) => string): Properties {
    const { __provider: text } = properties;
    return typeof text === "string" ? { ...properties, __provider: change(text) } : properties;
  }

  #textFor(text: string, run: number): string {
    if (!text.includes("graphdeploy/")) return text;
    const resetModules =
      "for (const file of Object.keys(require.cache)) if (file.includes('graphdeploy/build')) delete require.cache[file];";
    const own = `${resetModules}\n${text}\n// Command ${run}.\n`;
    this.#originals.set(own, text);
    return own;
  }
}
