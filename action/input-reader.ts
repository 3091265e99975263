import { ConfigError } from "../core/client/errors.ts";
import { type InputName, inputDefaults } from "./input-defaults.ts";
import { inInputNames } from "./input-names.ts";
import type { InputProblem } from "./input-problem.ts";

/** Reads single inputs and collects their problems. */
export class InputReader {
  readonly problems: InputProblem[] = [];
  readonly #get: (name: InputName) => string;

  /** @param get returns the text of an input; empty if it isn't given */
  constructor(get: (name: InputName) => string) {
    this.#get = get;
  }

  /** The trimmed text; `undefined` if the input isn't given. */
  readonly text = (name: InputName): string | undefined => this.#get(name).trim() || undefined;

  /** The text including surrounding white space. */
  readonly rawText = (name: InputName): string => this.#get(name);

  readonly withDefault = (name: InputName): string => this.text(name) ?? inputDefaults[name];

  /** One of `values`. For any other text it reports a problem and returns the first. */
  choice<const Value extends string>(name: InputName, values: readonly Value[]): Value {
    const value = this.withDefault(name);
    if ((values as readonly string[]).includes(value)) return value as Value;
    this.report(name, `is ${JSON.stringify(value)}, which is none of ${values.join(", ")}.`);
    return values[0] as Value;
  }

  /** `undefined` if the input has neither a value nor a default. */
  readonly flag = (name: InputName): boolean | undefined => {
    const value = this.withDefault(name);
    if (value === "") return undefined;
    if (/^(true|false)$/i.test(value)) return value.toLowerCase() === "true";
    this.report(name, `is ${JSON.stringify(value)}, which is neither true nor false.`);
    return undefined;
  };

  report(input: string, message: string): void {
    const isKnown = this.problems.some((known) => known.input === input && known.message === message);
    if (!isKnown) this.problems.push({ input, message });
  }

  /** Reports an error of the core, with the names of inputs. */
  reportError(input: string, { path, message }: ConfigError): void {
    this.report(input, inInputNames(path === undefined ? message : message.replace(`${path}: `, "")));
  }

  /** The result of `read`; a {@link ConfigError} becomes a problem, and the result `undefined`. */
  guarded<Value>(input: InputName, read: () => Value): Value | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      this.reportError(input, error);
      return undefined;
    }
  }
}
