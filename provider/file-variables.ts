import { randomUUID } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";

/** Values for `${NAME}` in a declarative file; those that are undefined count as not given. */
export type FileVariables = Readonly<Record<string, pulumi.Input<string> | undefined>>;

/**
 * Variables of a declarative file. An output has no value yet when the file is read, so a random text stands for it
 * until the file has become inputs. Texts that contain it then become outputs, secret ones if the variable is secret.
 */
export class DeferredVariables {
  /** What the file is read with, by name. */
  readonly texts: Record<string, string> = {};
  readonly #deferred: { placeholder: string; value: pulumi.Output<string> }[] = [];

  /** @throws Error when a value can be no string */
  constructor(variables: FileVariables) {
    for (const [name, given] of Object.entries(variables)) {
      if (given === undefined) continue;
      if (given === null || (typeof given !== "string" && typeof given !== "object")) {
        throw new Error(`variables.${name} must be a string.`);
      }
      const text = typeof given === "string" ? given : randomUUID();
      this.texts[name] = text;
      if (text !== given) this.#deferred.push({ placeholder: text, value: pulumi.output(given) });
    }
  }

  /** A deep copy of `value` with outputs in the place of texts that contain a variable whose value comes later. */
  fillIn(value: unknown): unknown {
    if (typeof value === "string") return this.#fillInText(value);
    if (Array.isArray(value)) return value.map((item) => this.fillIn(item));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, this.fillIn(entry)]));
  }

  #fillInText(text: string): pulumi.Input<string> {
    return this.#deferred.reduce<pulumi.Input<string>>((filled, { placeholder, value }) => {
      if (!text.includes(placeholder)) return filled;
      return pulumi.all([filled, value]).apply(([before, later]) => before.replaceAll(placeholder, () => later));
    }, text);
  }
}
