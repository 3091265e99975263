import { ConfigError } from "../core/client/errors.ts";
import { type InputName, inputDefaults } from "./input-defaults.ts";
import { inInputNames } from "./input-names.ts";
import type { InputProblem } from "./input-problem.ts";

/** Reads single inputs, and collects what is wrong with them. */
export class InputReader {
  readonly problems: InputProblem[] = [];
  readonly #get: (name: InputName) => string;

  /** @param get the text of an input; empty where it isn't given */
  constructor(get: (name: InputName) => string) {
    this.#get = get;
  }

  /** `undefined` where the input isn't given. */
  readonly text = (name: InputName): string | undefined => this.#get(name).trim() || undefined;

  /** With the white space around it. */
  readonly rawText = (name: InputName): string => this.#get(name);

  readonly withDefault = (name: InputName): string => this.text(name) ?? inputDefaults[name];

  /** One of `values`; the first of them where the input is none of them. */
  choice<const Value extends string>(name: InputName, values: readonly Value[]): Value {
    const value = this.withDefault(name);
    if ((values as readonly string[]).includes(value)) return value as Value;
    this.report(name, `is ${JSON.stringify(value)}, which is none of ${values.join(", ")}.`);
    return values[0] as Value;
  }

  /** `undefined` where the input has neither a value nor a default. */
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

  /** Reports a mistake that the core found, in the names of the inputs. */
  reportError(input: string, { path, message }: ConfigError): void {
    this.report(input, inInputNames(path === undefined ? message : message.replace(`${path}: `, "")));
  }

  /** What `read` returns; `undefined`, and a problem, where it throws a {@link ConfigError}. */
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
