import type { Alias } from "@pulumi/pulumi/proto/alias_pb.js";
import resourceMessages, {
  type ReadResourceRequest,
  type RegisterResourceOutputsRequest,
  type RegisterResourceRequest,
} from "@pulumi/pulumi/proto/resource_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import struct from "google-protobuf/google/protobuf/struct_pb.js";
import type { Properties } from "../dynamic-process.ts";

/** An earlier name of a resource: a whole URN, or the parts that differ. */
export type AliasGoal =
  | { readonly urn: string }
  | {
      readonly urn?: never;
      readonly name: string;
      readonly type: string;
      readonly stack: string;
      readonly project: string;
      readonly parent: string;
      readonly noParent: boolean;
    };

/** A resource as a program declares it, options included. */
export interface Goal {
  readonly type: string;
  readonly name: string;
  readonly custom: boolean;
  /** URN of the parent; empty for none. */
  readonly parent: string;
  readonly inputs: Properties;
  readonly dependencies: readonly string[];
  readonly propertyDependencies: Readonly<Record<string, readonly string[]>>;
  readonly protect: boolean | undefined;
  readonly retainOnDelete: boolean | undefined;
  readonly deleteBeforeReplace: boolean | undefined;
  readonly ignoreChanges: readonly string[];
  readonly replaceOnChanges: readonly string[];
  readonly replacementTrigger: unknown;
  readonly additionalSecretOutputs: readonly string[];
  readonly aliases: readonly AliasGoal[];
  readonly importId: string;
  readonly deletedWith: string;
  readonly replaceWith: readonly string[];
}

/** A resource that a program reads by its id. */
export type ReadGoal = Pick<
  Goal,
  "type" | "name" | "parent" | "inputs" | "dependencies" | "additionalSecretOutputs"
> & {
  readonly id: string;
};

/** The program's view of its resource. An unknown id, in a preview, is empty. */
export interface Registered {
  readonly urn: string;
  readonly id: string;
  readonly outputs: Properties;
}

/** Handles a program's declarations, one after another. */
export interface MonitorHandler {
  register(goal: Goal): Promise<Registered>;
  read(goal: ReadGoal): Promise<Registered>;
}

type Callback = (error: Error | null, response?: unknown) => void;

/** The engine's side of a program in this process: the SDK calls it instead of a gRPC client. */
export class Monitor {
  readonly #handler: MonitorHandler;
  readonly #onFailure: (error: unknown) => void;
  /** Inherited by children: protect, retainOnDelete and deletedWith. */
  readonly #goals = new Map<string, Goal>();
  #queue: Promise<unknown> = Promise.resolve();
  /** The number of the program's requests so far. */
  requests = 0;

  /** @param onFailure called with the first error; later requests get no response, as when an engine stops */
  constructor(handler: MonitorHandler, onFailure: (error: unknown) => void) {
    this.#handler = handler;
    this.#onFailure = onFailure;
  }

  registerResource(request: RegisterResourceRequest, callback: Callback): void {
    this.#enqueue(async () => {
      const goal = inherited(goalOf(request), this.#goals.get(request.getParent()));
      const { urn, id, outputs } = await this.#handler.register(goal);
      this.#goals.set(urn, goal);
      const response = new resourceMessages.RegisterResourceResponse().setUrn(urn).setId(id);
      callback(null, response.setObject(struct.Struct.fromJavaScript(plainJson(outputs))));
    });
  }

  readResource(request: ReadResourceRequest, callback: Callback): void {
    this.#enqueue(async () => {
      const { urn, outputs } = await this.#handler.read({
        type: request.getType(),
        name: request.getName(),
        id: request.getId(),
        parent: request.getParent(),
        inputs: propertiesOf(request.getProperties()),
        dependencies: request.getDependenciesList(),
        additionalSecretOutputs: request.getAdditionalsecretoutputsList(),
      });
      const response = new resourceMessages.ReadResourceResponse().setUrn(urn);
      callback(null, response.setProperties(struct.Struct.fromJavaScript(plainJson(outputs))));
    });
  }

  /** Outputs of a component are ignored: no provider and no test uses them. */
  registerResourceOutputs(_request: RegisterResourceOutputsRequest, callback: Callback): void {
    callback(null, new empty.Empty());
  }

  getDeploymentInfo(_request: unknown, callback: Callback): void {
    const features = resourceMessages.ResourceMonitorFeature;
    callback(
      null,
      new resourceMessages.DeploymentInfo().setSupportedfeaturesList([
        features.RESOURCE_MONITOR_FEATURE_SECRETS,
        features.RESOURCE_MONITOR_FEATURE_RESOURCE_REFERENCES,
        features.RESOURCE_MONITOR_FEATURE_ALIAS_SPECS,
        features.RESOURCE_MONITOR_FEATURE_DELETED_WITH,
        features.RESOURCE_MONITOR_FEATURE_REPLACE_WITH,
        features.RESOURCE_MONITOR_FEATURE_REPLACEMENT_TRIGGER,
      ]),
    );
  }

  close(): void {}

  /** Resolves once every request so far has its response. */
  async idle(): Promise<void> {
    await this.#queue;
  }

  #enqueue(handle: () => Promise<void>): void {
    this.requests += 1;
    this.#queue = this.#queue.then(handle).catch((error) => {
      this.#onFailure(error);
      return new Promise(() => {});
    });
  }
}

function propertiesOf(fields: struct.Struct | undefined): Properties {
  return (fields?.toJavaScript() ?? {}) as Properties;
}

function plainJson(properties: Properties): Record<string, struct.JavaScriptValue> {
  return JSON.parse(JSON.stringify(properties));
}

function goalOf(request: RegisterResourceRequest): Goal {
  const lists = request.getPropertydependenciesMap().toArray();
  const propertyDependencies = lists.map(([name]) => [
    name,
    request.getPropertydependenciesMap().get(name)?.getUrnsList() ?? [],
  ]);
  return {
    type: request.getType(),
    name: request.getName(),
    custom: request.getCustom(),
    parent: request.getParent(),
    inputs: propertiesOf(request.getObject()),
    dependencies: request.getDependenciesList(),
    propertyDependencies: Object.fromEntries(propertyDependencies),
    protect: request.hasProtect() ? request.getProtect() : undefined,
    retainOnDelete: request.hasRetainondelete() ? request.getRetainondelete() : undefined,
    deleteBeforeReplace: request.getDeletebeforereplacedefined() ? request.getDeletebeforereplace() : undefined,
    ignoreChanges: request.getIgnorechangesList(),
    replaceOnChanges: request.getReplaceonchangesList(),
    replacementTrigger: request.getReplacementTrigger()?.toJavaScript() ?? null,
    additionalSecretOutputs: request.getAdditionalsecretoutputsList(),
    aliases: request.getAliasesList().map(aliasGoalOf),
    importId: request.getImportid(),
    deletedWith: request.getDeletedwith(),
    replaceWith: request.getReplaceWithList(),
  };
}

function aliasGoalOf(alias: Alias): AliasGoal {
  const spec = alias.getSpec();
  if (spec === undefined) return { urn: alias.getUrn() };
  return {
    name: spec.getName(),
    type: spec.getType(),
    stack: spec.getStack(),
    project: spec.getProject(),
    parent: spec.getParenturn(),
    noParent: spec.getNoparent(),
  };
}

function inherited(goal: Goal, parent: Goal | undefined): Goal {
  if (parent === undefined) return goal;
  return {
    ...goal,
    protect: goal.protect ?? parent.protect,
    retainOnDelete: goal.retainOnDelete ?? parent.retainOnDelete,
    deletedWith: goal.deletedWith === "" ? parent.deletedWith : goal.deletedWith,
  };
}
