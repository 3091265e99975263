import { randomUUID } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";

/** Values for `${NAME}` in a declarative file; those that are undefined count as not given. */
export type FileVariables = Readonly<Record<string, pulumi.Input<string> | undefined>>;

/**
 * Variables of a declarative file. An output has no value yet when the file is read, so a random text stands for it
 * until the file has become inputs; the text is then replaced by an output, which is a secret if the variable is.
 */
export class DeferredVariables {
  /** What the file is read with, by name. */
  readonly texts: Record<string, string> = {};
  readonly #deferred: { placeholder: string; value: pulumi.Output<string> }[] = [];

  /** @throws Error when a value isn't a string */
  constructor(variables: FileVariables) {
    for (const [name, given] of Object.entries(variables)) {
      if (given === undefined) continue;
      if (typeof given === "string") {
        this.texts[name] = given;
        continue;
      }
      if (typeof given !== "object" || given === null) throw notText(name);
      const placeholder = randomUUID();
      const value = pulumi.output(given).apply((text) => {
        if (typeof text !== "string") throw notText(name);
        return text;
      });
      this.texts[name] = placeholder;
      this.#deferred.push({ placeholder, value });
    }
  }

  /** A deep copy of `value` with outputs in the place of texts that contain a variable whose value came later. */
  fillIn(value: unknown): unknown {
    if (typeof value === "string") return this.#fillInText(value);
    if (Array.isArray(value)) return value.map((item) => this.fillIn(item));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, this.fillIn(entry)]));
  }

  #fillInText(text: string): pulumi.Input<string> {
    const contained = this.#deferred.filter(({ placeholder }) => text.includes(placeholder));
    if (contained.length === 0) return text;
    return pulumi.all(contained.map(({ value }) => value)).apply((values) => {
      return contained.reduce((filled, { placeholder }, index) => {
        return filled.replaceAll(placeholder, () => values[index] ?? "");
      }, text);
    });
  }
}

function notText(name: string): Error {
  return new Error(`variables.${name} must be a string.`);
}
