import type { Runner } from "../../../action/runner.ts";

interface AnnotationProperties {
  title?: string;
  file?: string;
  startLine?: number;
  startColumn?: number;
}

/** A runner that keeps what a step gives it, with workflow commands in the log as `@actions/core` writes them. */
export class RecordingRunner implements Runner {
  log = "";
  readonly outputs: Record<string, string> = {};
  readonly state: Record<string, string> = {};
  summaryText = "";
  readonly #env: Readonly<Record<string, string>>;
  readonly #onOutput: (soFar: string) => void;

  /** @param onOutput called with the whole log so far whenever there is more */
  constructor(env: Readonly<Record<string, string>>, onOutput: (soFar: string) => void = () => {}) {
    this.#env = env;
    this.#onOutput = onOutput;
  }

  readonly summary = {
    addRaw: (text: string) => ({
      write: async () => {
        this.summaryText += text;
      },
    }),
  };

  getInput(name: string, options?: { trimWhitespace?: boolean }): string {
    const text = this.#env[`INPUT_${name.toUpperCase()}`] ?? "";
    return options?.trimWhitespace === false ? text : text.trim();
  }

  getState(name: string): string {
    return this.#env[`STATE_${name}`] ?? "";
  }

  saveState(name: string, value: string): void {
    this.state[name] = value;
  }

  setOutput(name: string, value: string): void {
    this.outputs[name] = value;
  }

  info(message: string): void {
    this.log += `${message}\n`;
    this.#onOutput(this.log);
  }

  setSecret(secret: string): void {
    this.#command("add-mask", secret);
  }

  debug(message: string): void {
    this.#command("debug", message);
  }

  notice(message: string | Error, properties?: { title?: string }): void {
    this.#command("notice", String(message), properties);
  }

  warning(message: string | Error, properties?: { title?: string }): void {
    this.#command("warning", String(message), properties);
  }

  error(message: string | Error, properties?: AnnotationProperties): void {
    this.#command("error", String(message), properties);
  }

  startGroup(name: string): void {
    this.#command("group", name);
  }

  endGroup(): void {
    this.#command("endgroup", "");
  }

  #command(name: string, message: string, given: AnnotationProperties = {}): void {
    const { title, file, startLine: line, startColumn: col } = given;
    const properties = Object.entries({ title, file, line, col })
      .filter(([, value]) => value !== undefined && value !== "")
      .map(([key, value]) => `${key}=${escapeData(String(value)).replaceAll(":", "%3A").replaceAll(",", "%2C")}`);
    this.info(`::${name}${properties.length === 0 ? "" : ` ${properties.join(",")}`}::${escapeData(message)}`);
  }
}

function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
