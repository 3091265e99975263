import type { DiffResult, DynamicProcess, Properties } from "../dynamic-process.ts";
import { InitFailure } from "../dynamic-process.ts";
import { revealed, withSecretsOf } from "./values.ts";

/** One call of a provider, as the engine made it. */
export interface ProviderCall {
  readonly method: "Check" | "Diff" | "Create" | "Read" | "Update" | "Delete";
  readonly urn: string;
  readonly id?: string;
  /** Old inputs of a check; old outputs of a diff and an update; outputs of a read and a delete. */
  readonly olds?: Properties;
  /** New inputs. */
  readonly news?: Properties;
}

/**
 * A provider as the engine calls it: with plain values, and with secrets restored in the results. Partial failures are
 * results with reasons.
 */
export class ProviderCalls {
  readonly #process: () => DynamicProcess;
  readonly #onCall: (call: ProviderCall) => void;

  constructor(process: () => DynamicProcess, onCall: (call: ProviderCall) => void = () => {}) {
    this.#process = process;
    this.#onCall = onCall;
  }

  /** @throws Error that lists the failures */
  async check(urn: string, olds: Properties, news: Properties): Promise<Properties> {
    this.#onCall({ method: "Check", urn, olds: revealed(olds), news: revealed(news) });
    const { inputs, failures } = await this.#process().check(urn, revealed(olds), revealed(news));
    if (failures.length > 0) {
      throw new Error(
        failures.map(({ property, reason }) => (property === "" ? reason : `${property}: ${reason}`)).join("\n"),
      );
    }
    return withSecretsOf(inputs, news);
  }

  async diff(urn: string, id: string, outputs: Properties, news: Properties): Promise<DiffResult> {
    this.#onCall({ method: "Diff", urn, id, olds: revealed(outputs), news: revealed(news) });
    return this.#process().diff(urn, id, revealed(outputs), revealed(news));
  }

  async create(
    urn: string,
    inputs: Properties,
  ): Promise<{ id: string; outputs: Properties; initErrors: readonly string[] }> {
    this.#onCall({ method: "Create", urn, news: revealed(inputs) });
    try {
      const { id, outputs } = await this.#process().create(urn, revealed(inputs));
      return { id, outputs: withSecretsOf(outputs, inputs), initErrors: [] };
    } catch (error) {
      if (!(error instanceof InitFailure)) throw error;
      return { id: error.id, outputs: withSecretsOf(error.properties, inputs), initErrors: error.reasons };
    }
  }

  async update(
    urn: string,
    id: string,
    outputs: Properties,
    news: Properties,
  ): Promise<{ outputs: Properties; initErrors: readonly string[] }> {
    this.#onCall({ method: "Update", urn, id, olds: revealed(outputs), news: revealed(news) });
    try {
      const after = await this.#process().update(urn, id, revealed(outputs), revealed(news));
      return { outputs: withSecretsOf(after, news), initErrors: [] };
    } catch (error) {
      if (!(error instanceof InitFailure)) throw error;
      return { outputs: withSecretsOf(error.properties, news), initErrors: error.reasons };
    }
  }

  /** An empty id means that the resource is gone. */
  async read(
    urn: string,
    id: string,
    outputs: Properties,
    inputs: Properties,
  ): Promise<{ id: string; outputs: Properties; inputs: Properties | undefined }> {
    this.#onCall({ method: "Read", urn, id, olds: revealed(outputs), news: revealed(inputs) });
    const found = await this.#process().read(urn, id, revealed(outputs), revealed(inputs));
    return {
      id: found.id,
      outputs: withSecretsOf(found.outputs, outputs),
      inputs: found.inputs === undefined ? undefined : withSecretsOf(found.inputs, inputs),
    };
  }

  async delete(urn: string, id: string, outputs: Properties): Promise<void> {
    this.#onCall({ method: "Delete", urn, id, olds: revealed(outputs) });
    await this.#process().delete(urn, id, revealed(outputs));
  }
}
