import * as pulumi from "@pulumi/pulumi";
import type { KnownDeploymentType, KnownSource, Open } from "../core/client/wire/deployments.ts";
import { definedFields } from "../core/declare/fields.ts";
import { deploymentType, providerText } from "./dynamic.ts";
import type { Provider } from "./provider.ts";
import { refuseImport } from "./refuse-import.ts";
import type { ResourceSpecArgs } from "./resource-spec-args.ts";
import { settledValue } from "./settled-value.ts";
import type { ResourceOptionInputs } from "./state.ts";

/** The part of a deployment's source that needs no new revision, or can't change at all. */
export interface SourceConfigArgs {
  /** The repository host's integration (`github`). Can't change: replaces. */
  integrationId?: pulumi.Input<string>;
  /** Address of the repository (`github`). Can't change: replaces. */
  repoUrl?: pulumi.Input<string>;
  /** `dev`, `prod`, `dev_free` … (not for `external_docker`). Can't change: replaces. @default the platform's */
  deploymentType?: pulumi.Input<Open<KnownDeploymentType>>;
  /** Whether the platform builds each push to the branch by itself. Must be false with a tag. @default false */
  buildOnPush?: pulumi.Input<boolean>;
  /** The deployment's address (`external_docker` only). Can't be cleared. */
  customUrl?: pulumi.Input<string>;
  /**
   * Compute: `minScale`, `maxScale`, `cpu` (cores), `memoryMb`, `dbStorageGi` …, the platform's names in camelCase. A change makes a new
   * revision. @default the platform's
   */
  resourceSpec?: pulumi.Input<ResourceSpecArgs>;
  /** The listener that runs it (`external_docker`). Can't change: replaces. */
  listenerId?: pulumi.Input<string>;
  /** `k8sNamespace` can't change: replaces. */
  listenerConfig?: pulumi.Input<{ k8sNamespace?: pulumi.Input<string> }>;
  /** Install command of a JavaScript project. A change makes a new revision. */
  installCommand?: pulumi.Input<string>;
  /** Build command of a JavaScript project. A change makes a new revision. */
  buildCommand?: pulumi.Input<string>;
}

/** The part of a source whose change makes a new revision. */
export interface SourceRevisionConfigArgs {
  /** A branch by its messageOnlyError name (`main`), a tag as `refs/tags/v1.0.0`. */
  repoRef?: pulumi.Input<string>;
  /** Path of the graph configuration file in the repository; required for `github`. */
  graphConfigPath?: pulumi.Input<string>;
  /** The container image; required for `external_docker`. */
  imageUri?: pulumi.Input<string>;
  /** Object path of an uploaded tarball (`internal_source`). */
  sourceTarballPath?: pulumi.Input<string>;
}

export interface SecretReferenceArgs {
  /** Name of the Kubernetes Secret. */
  secretName: pulumi.Input<string>;
  /** Key in it. */
  secretKey: pulumi.Input<string>;
}

export interface DeploymentArgs {
  /** Unique in the workspace. Can't change: replaces. */
  name: pulumi.Input<string>;
  /**
   * `github` (cloud), `external_docker` (self-hosted), `internal_docker` or `internal_source`. Can't change: replaces.
   * @default `external_docker` with an image, `github` with a repository
   */
  source?: pulumi.Input<Open<KnownSource>>;
  sourceConfig?: pulumi.Input<SourceConfigArgs>;
  sourceRevisionConfig?: pulumi.Input<SourceRevisionConfigArgs>;
  /** Plain environment variables by name. A change makes a new revision. */
  env?: pulumi.Input<Record<string, pulumi.Input<string>>>;
  /**
   * Secret environment variables by name; always encrypted in the state and in no output. A change makes a new revision. Pulumi's own debug log
   * (`--debug`, or `--logtostderr` with `-v=3` or more) prints the inputs of a resource that a preview would create or change, these too.
   */
  secrets?: pulumi.Input<Record<string, pulumi.Input<string>>>;
  /** Environment variables from Kubernetes Secrets, by name of the variable (`external_docker`). A change makes a new revision. */
  secretReferences?: pulumi.Input<Record<string, pulumi.Input<SecretReferenceArgs>>>;
  /** Shown instead of the name. Can't be cleared. */
  displayName?: pulumi.Input<string>;
  /** Any values; a change in them rolls out again, for example `{ prompt: hash }`. */
  triggers?: pulumi.Input<Record<string, unknown> | readonly unknown[]>;
  /**
   * The commit that must be live. With `buildOnPush` a change waits for the platform's own build of it (120 s, then one is made); without, it
   * rolls out again.
   */
  pushedCommit?: pulumi.Input<string>;
  /** Whether to wait until the revision is live. @default true */
  wait?: pulumi.Input<boolean>;
  /**
   * Bounds of the waits, for example `{ create: "30m" }`; a number is in seconds.
   * @default those of `customTimeouts`, else 30m, 30m and 10m
   */
  timeouts?: pulumi.Input<{
    create?: pulumi.Input<string | number>;
    update?: pulumi.Input<string | number>;
    delete?: pulumi.Input<string | number>;
  }>;
  /** Adopt a deployment of that name that exists already. @default false */
  adopt?: pulumi.Input<boolean>;
  /** Delete the tracing project of the same name together with the deployment. @default false */
  deleteTracingProject?: pulumi.Input<boolean>;
}

/** Pulumi's options; `provider` is one of this package's. */
export type DeploymentOptions = Omit<pulumi.CustomResourceOptions, "provider"> & { provider?: Provider };

/** Outputs that aren't inputs, or not of a lookup; they must be known to Pulumi's constructor to become outputs. */
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

/**
 * A deployment of an agent server: created, changed in place or by a new revision, replaced and deleted, each waiting until the platform is
 * there.
 */
export class Deployment extends pulumi.CustomResource {
  declare public readonly name: pulumi.Output<string>;
  declare public readonly source: pulumi.Output<string>;
  /** Status of the deployment, for example `READY`. */
  declare public readonly status: pulumi.Output<string>;
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
  declare public readonly tenantId: pulumi.Output<string>;
  declare public readonly baseUrl: pulumi.Output<string>;
  declare public readonly createdAt: pulumi.Output<string>;
  declare public readonly updatedAt: pulumi.Output<string>;

  /**
   * Reads a deployment that is managed elsewhere; its environment is not read. Fails where there is none, or it is being deleted.
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, opts: DeploymentOptions = {}): Deployment {
    // Pulumi takes an empty id for none, and would create a deployment.
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
      ...(given?.secrets === undefined ? {} : { secrets: pulumi.secret(given.secrets) }),
      timeouts: mergedTimeouts(given?.timeouts, opts.customTimeouts),
      connection: provider?.connection,
      // A promise: as an output it would depend on the parent, and so on all children of the parent, this one among them.
      resourceUrn: settledValue(pulumi.createUrn(name, deploymentType, opts.parent)),
      resourceOptions: given === undefined ? undefined : relevantOptions(opts),
      // It holds nothing but the way to the runtime, and a secret here would show as one in every difference.
      __provider: providerText,
    };
    super(deploymentType, name, inputs, {
      ...rest,
      hideDiffs: [...(opts.hideDiffs ?? []), ...ownInputs],
      // There is no plugin of which they could be: the engine would start a second dynamic provider for it, and `--target` fail between the two.
      version: undefined,
      pluginDownloadURL: undefined,
    });
  }
}

/** Inputs that no program gives, so that they would only puzzle in a difference. */
const ownInputs = ["resourceUrn", "resourceOptions", "secretsVersion"];

/** Resource options never reach a provider, so those that a replacement depends on are passed on as an input. */
function relevantOptions({ deleteBeforeReplace, retainOnDelete }: DeploymentOptions): ResourceOptionInputs | undefined {
  const given = definedFields({ deleteBeforeReplace, retainOnDelete });
  return Object.keys(given).length === 0 ? undefined : given;
}

/** `customTimeouts` never reach a dynamic provider, so they are passed on as an input. */
function mergedTimeouts(
  timeouts: DeploymentArgs["timeouts"],
  custom: pulumi.CustomTimeouts | undefined,
): DeploymentArgs["timeouts"] {
  if (custom === undefined) return timeouts;
  return pulumi.output(timeouts).apply((own) => ({ ...custom, ...own }));
}
