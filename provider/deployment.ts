import * as pulumi from "@pulumi/pulumi";
import type { Open } from "../core/client/wire/conventions.ts";
import type { KnownDeploymentType, KnownSource } from "../core/client/wire/deployments.ts";
import { definedFields } from "../core/declare/deployment.ts";
import { deploymentType, providerText } from "./dynamic.ts";
import type { Provider } from "./provider.ts";
import { refuseImport } from "./refuse-import.ts";
import type { ResourceSpecArgs } from "./resource-spec-args.ts";
import { settledValue } from "./settled-value.ts";
import type { ResourceOptionInputs } from "./state.ts";

/** The part of a deployment's source that a PATCH changes in place, or that can't change. */
export interface SourceConfigArgs {
  /** The platform's integration with the repository host (`github`). A change replaces the deployment. */
  integrationId?: pulumi.Input<string>;
  /** Address of the repository (`github`), with or without `.git`. A change replaces the deployment. */
  repoUrl?: pulumi.Input<string>;
  /**
   * `dev`, `prod`, `dev_free` … (not for `external_docker`). A change replaces the deployment. @default the platform's
   */
  deploymentType?: pulumi.Input<Open<KnownDeploymentType>>;
  /**
   * Whether the platform builds each push to the branch. Must be false with a tag. A change is a patch.
   * @default false
   */
  buildOnPush?: pulumi.Input<boolean>;
  /** The deployment's address (`external_docker` only). A change is a patch; it can't be cleared. */
  customUrl?: pulumi.Input<string>;
  /**
   * Compute: `minScale`, `maxScale`, `cpu` (cores), `memoryMb`, `dbStorageGi` …, the platform's names in camelCase. A
   * change makes a new revision. @default the platform's
   */
  resourceSpec?: pulumi.Input<ResourceSpecArgs>;
  /** The listener that runs it (`external_docker`). A change replaces the deployment. */
  listenerId?: pulumi.Input<string>;
  /** A change of `k8sNamespace` replaces the deployment. */
  listenerConfig?: pulumi.Input<{ k8sNamespace?: pulumi.Input<string> }>;
  /** Install command of a JavaScript project. A change makes a new revision. */
  installCommand?: pulumi.Input<string>;
  /** Build command of a JavaScript project. A change makes a new revision. */
  buildCommand?: pulumi.Input<string>;
}

/** The part of a source whose change makes a new revision. */
export interface SourceRevisionConfigArgs {
  /** A branch by its short name (`main`), a tag as `refs/tags/v1.0.0`. A change makes a new revision. */
  repoRef?: pulumi.Input<string>;
  /** Path of the graph configuration file in the repository; required for `github`. A change makes a new revision. */
  graphConfigPath?: pulumi.Input<string>;
  /** The container image; required for `external_docker`. A change makes a new revision. */
  imageUri?: pulumi.Input<string>;
  /** Object path of an uploaded tarball (`internal_source`). A change makes a new revision. */
  sourceTarballPath?: pulumi.Input<string>;
}

export interface SecretReferenceArgs {
  /** Name of the Kubernetes Secret. */
  secretName: pulumi.Input<string>;
  /** Key in that Secret. */
  secretKey: pulumi.Input<string>;
}

export interface DeploymentArgs {
  /** Unique in the workspace. A change replaces the deployment. */
  name: pulumi.Input<string>;
  /**
   * `github` (cloud), `external_docker` (self-hosted), `internal_docker` or `internal_source`. A change replaces the
   * deployment.
   * @default `external_docker` with an image, `github` with a repository
   */
  source?: pulumi.Input<Open<KnownSource>>;
  sourceConfig?: pulumi.Input<SourceConfigArgs>;
  /**
   * `auto` finds `sourceConfig.integrationId` from the repository's URL when the deployment is created. A change takes no
   * request, and the deployment keeps the integration it was created with.
   */
  integration?: pulumi.Input<"auto">;
  sourceRevisionConfig?: pulumi.Input<SourceRevisionConfigArgs>;
  /** Plain environment variables by name. A change makes a new revision. */
  env?: pulumi.Input<Record<string, pulumi.Input<string>>>;
  /**
   * Secret environment variables by name, including those that a transformation adds; always encrypted in the state, and
   * in no output. A change makes a new revision. Pulumi's own debug log (`--debug`, or `--logtostderr` with `-v=3` or
   * more) prints the inputs of resources that a preview would create or change, including these.
   */
  secrets?: pulumi.Input<Record<string, pulumi.Input<string>>>;
  /**
   * Environment variables from Kubernetes Secrets, by name of the variable (`external_docker`). A change makes a new
   * revision; the last one can't be removed.
   */
  secretReferences?: pulumi.Input<Record<string, pulumi.Input<SecretReferenceArgs>>>;
  /** Shown instead of the name. A change is a patch; it can't be cleared. */
  displayName?: pulumi.Input<string>;
  /** Any values, in a map or a list; a change rolls out again, for example of `{ prompt: hash }`. */
  triggers?: pulumi.Input<Record<string, unknown> | readonly unknown[]>;
  /**
   * The commit that must be live. With `buildOnPush`, a change waits up to 120 s for the platform's own build of it,
   * then requests one; without, it rolls out again.
   */
  pushedCommit?: pulumi.Input<string>;
  /** Whether to wait until the revision is live. @default true */
  wait?: pulumi.Input<boolean>;
  /**
   * Limits of the waits, for example `{ create: "30m" }`; a number is in seconds.
   * @default those of `customTimeouts`, else 30m, 30m and 10m
   */
  timeouts?: pulumi.Input<{
    create?: pulumi.Input<string | number>;
    update?: pulumi.Input<string | number>;
    delete?: pulumi.Input<string | number>;
  }>;
  /**
   * Adopt an existing deployment of that name, whoever owns it, with one revision. Immutable fields must be equal.
   * @default false
   */
  adopt?: pulumi.Input<boolean>;
  /** Whether deleting the deployment also deletes the tracing project of the same name. @default false */
  deleteTracingProject?: pulumi.Input<boolean>;
}

/** Pulumi's resource options, with a `provider` of this package. */
export type DeploymentOptions = Omit<pulumi.CustomResourceOptions, "provider"> & { provider?: Provider };

/**
 * Outputs that aren't inputs, at least not of a lookup; Pulumi's constructor needs their names to make them outputs.
 */
const outputs = {
  name: undefined,
  source: undefined,
  status: undefined,
  latestRevisionId: undefined,
  activeRevisionId: undefined,
  revisionStatus: undefined,
  commit: undefined,
  image: undefined,
  url: undefined,
  webUrl: undefined,
  secretNames: undefined,
  tenantId: undefined,
  baseUrl: undefined,
  createdAt: undefined,
  updatedAt: undefined,
};

/** An agent deployment. Each operation waits until the platform has reached the new state. */
export class Deployment extends pulumi.CustomResource {
  declare public readonly name: pulumi.Output<string>;
  declare public readonly source: pulumi.Output<string>;
  /** Status of the deployment, for example `READY`. */
  declare public readonly status: pulumi.Output<string>;
  /** The revision that was made last. */
  declare public readonly latestRevisionId: pulumi.Output<string>;
  /** The revision that serves. */
  declare public readonly activeRevisionId: pulumi.Output<string | undefined>;
  /** Status of the latest revision, for example `DEPLOYED`. */
  declare public readonly revisionStatus: pulumi.Output<string>;
  /** Commit of the latest revision. */
  declare public readonly commit: pulumi.Output<string | undefined>;
  /** Image of the latest revision. */
  declare public readonly image: pulumi.Output<string | undefined>;
  /** Address of the agent server. */
  declare public readonly url: pulumi.Output<string>;
  /** The deployment's web page; none on a loopback control plane. */
  declare public readonly webUrl: pulumi.Output<string | undefined>;
  /** Names of the secrets; their values are in no output. */
  declare public readonly secretNames: pulumi.Output<string[] | undefined>;
  /** Workspace of the deployment. */
  declare public readonly tenantId: pulumi.Output<string>;
  /** Control plane that made the deployment. */
  declare public readonly baseUrl: pulumi.Output<string>;
  declare public readonly createdAt: pulumi.Output<string>;
  declare public readonly updatedAt: pulumi.Output<string>;

  /**
   * Reads a deployment that is managed elsewhere, without its environment. Fails if it doesn't exist or is being
   * deleted.
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, opts: DeploymentOptions = {}): Deployment {
    // Pulumi treats an empty id as none, and would create a deployment.
    if (!id || (typeof id === "string" && id.trim() === "")) {
      throw new Error(`Deployment.get(${JSON.stringify(name)}): the id is empty. Give the id of a deployment.`);
    }
    return new Deployment(name, undefined as unknown as DeploymentArgs, { ...opts, id });
  }

  constructor(name: string, args: DeploymentArgs, opts: DeploymentOptions = {}) {
    refuseImport(name, opts);
    const { provider, ...rest } = opts;
    // A lookup has no arguments.
    const given: DeploymentArgs | undefined = args;
    const inputs: pulumi.Inputs = {
      ...outputs,
      ...given,
      ...(given?.env === undefined ? {} : { env: withoutUndefined(given.env) }),
      ...(given?.secrets === undefined ? {} : { secrets: pulumi.secret(withoutUndefined(given.secrets)) }),
      timeouts: mergedTimeouts(given?.timeouts, opts.customTimeouts),
      connection: provider?.connection,
      // A promise: an output would depend on the parent, and so on all its children, including this one.
      resourceUrn: settledValue(pulumi.createUrn(name, deploymentType, opts.parent)),
      resourceOptions: given === undefined ? undefined : relevantOptions(opts),
      // It only loads the runtime. As a secret it would show up in every diff.
      __provider: providerText,
    };
    super(deploymentType, name, inputs, {
      ...rest,
      hideDiffs: [...(opts.hideDiffs ?? []), ...ownInputs],
      // There is no plugin to which they could apply. With them the engine would start a second dynamic provider, and
      // `--target` would fail.
      version: undefined,
      pluginDownloadURL: undefined,
    });
  }
}

/** Inputs that no program sets, so that they would only confuse in a diff. */
const ownInputs = ["resourceUrn", "resourceOptions", "secretsVersion"];

/** Resource options never reach a provider, so an input passes on those that a replacement depends on. */
function relevantOptions({ deleteBeforeReplace, retainOnDelete }: DeploymentOptions): ResourceOptionInputs | undefined {
  const given = definedFields({ deleteBeforeReplace, retainOnDelete });
  return Object.keys(given).length === 0 ? undefined : given;
}

type Variables = Record<string, pulumi.Input<string>>;

/**
 * The entries of an environment with null for each undefined one: the SDK would leave that out, and the deployment would
 * be without a variable that the program has forgotten to set. Nulls are refused by `check`, with their names.
 */
function withoutUndefined(entries: pulumi.Input<Variables>): pulumi.Input<Variables> {
  if (typeof entries !== "object" || entries === null) return entries;
  if (pulumi.Output.isInstance(entries) || entries instanceof Promise) return pulumi.output(entries).apply(withNulls);
  return withNulls(entries);
}

/** Each entry by itself: an unknown one must not make the others unknown. */
function withNulls(entries: Variables): Variables {
  if (typeof entries !== "object" || entries === null) return entries;
  const settled = Object.entries(entries).map(([name, value]) => {
    const isPlain = typeof value !== "object" || value === null;
    return [name, isPlain ? (value ?? null) : pulumi.output(value).apply((text) => text ?? null)];
  });
  return Object.fromEntries(settled);
}

/** `customTimeouts` never reach a dynamic provider, so an input passes them on. */
function mergedTimeouts(
  timeouts: DeploymentArgs["timeouts"],
  custom: pulumi.CustomTimeouts | undefined,
): DeploymentArgs["timeouts"] {
  if (custom === undefined) return timeouts;
  return pulumi.output(timeouts).apply((own) => ({ ...custom, ...own }));
}
