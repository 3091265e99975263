import type * as Pulumi from "@pulumi/pulumi";
import type { Deployment, DeploymentArgs, DeploymentOptions } from "../../../provider/deployment.ts";
import type { Provider } from "../../../provider/provider.ts";

// The model's programs, as data. They run in this process or, with the real CLI, in a separate one, so nothing here may
// need a test runner.

/** One deployment of a program: its arguments and options. */
export interface DeclaredDeployment {
  /** Name of the resource. */
  readonly resource: string;
  /** Name of the deployment on the platform. */
  readonly name: string;
  readonly repository: number;
  readonly ref: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly displayName?: string;
  readonly adopt?: boolean;
  readonly wait?: boolean;
  readonly deleteTracingProject?: boolean;
  readonly trigger?: number;
  /** The build command comes from the upstream's output; only the engine knows it. */
  readonly fromUpstream?: boolean;
  /** The component that it belongs to. */
  readonly component?: string;
  /** Whether it goes through a `Provider` of its own, to the same control plane. */
  readonly provider?: boolean;
  readonly protect?: boolean;
  readonly retainOnDelete?: boolean;
  readonly deleteBeforeReplace?: boolean;
  readonly ignoreChanges?: readonly string[];
  readonly replaceOnChanges?: readonly string[];
  /** Its previous name and parent. */
  readonly earlier?: readonly { readonly resource: string; readonly component: string | undefined }[];
}

/** A whole program. */
export interface DeclaredProgram {
  /** Another resource, deleted before it is replaced when `seed` changes; its output stays the same. */
  readonly upstream?: { readonly seed: number };
  readonly deployments: readonly DeclaredDeployment[];
}

export const componentType = "model:index:Group";
export const upstreamType = "pulumi-nodejs:dynamic:Resource";
/** The constant output of the upstream. */
export const upstreamOutput = "npm run build";
/** The variable that holds the API key of the second `Provider`. */
export const otherKeyVariable = "OTHER_API_KEY";

const upstreamText = `exports.handler = () => ({
  check: async (olds, news) => ({ inputs: news }),
  diff: async (id, olds, news) => ({ replaces: olds.seed === news.seed ? [] : ["seed"], deleteBeforeReplace: true }),
  create: async (inputs) => ({ id: "upstream-" + inputs.seed, outs: { ...inputs, out: ${JSON.stringify(upstreamOutput)} } }),
  update: async (id, olds, news) => ({ outs: { ...news, out: ${JSON.stringify(upstreamOutput)} } }),
  read: async (id, props) => ({ id, props }),
  delete: async () => {},
});
`;

/** The SDK and this package's classes, as imported by the program. */
export interface Classes {
  readonly pulumi: typeof Pulumi;
  readonly Deployment: typeof Deployment;
  readonly Provider: typeof Provider;
}

/** Declares the resources of a program, one after another. */
export function declare(program: DeclaredProgram, { pulumi, Deployment, Provider }: Classes): void {
  class Upstream extends pulumi.CustomResource {
    declare readonly out: Pulumi.Output<string>;
    constructor(seed: number) {
      super(upstreamType, "upstream", { __provider: upstreamText, seed, out: undefined });
    }
  }
  const upstream = program.upstream === undefined ? undefined : new Upstream(program.upstream.seed);
  const components = new Map<string, Pulumi.ComponentResource>();
  const componentNamed = (name: string) => {
    const existing = components.get(name) ?? new pulumi.ComponentResource(componentType, name);
    components.set(name, existing);
    return existing;
  };
  for (const declared of program.deployments) {
    const out = declared.fromUpstream === true ? upstream?.out : undefined;
    const options: DeploymentOptions = {
      ...optionsOf(declared),
      ...(declared.component === undefined ? {} : { parent: componentNamed(declared.component) }),
      ...(declared.provider === true ? { provider: new Provider({ apiKeyEnv: otherKeyVariable }) } : {}),
      aliases: (declared.earlier ?? []).map(({ resource, component }) => ({
        name: resource,
        parent: component === undefined ? pulumi.rootStackResource : componentNamed(component),
      })),
    };
    new Deployment(declared.resource, argsOf(declared, out), options);
  }
}

function argsOf(declared: DeclaredDeployment, buildCommand: Pulumi.Output<string> | undefined): DeploymentArgs {
  const { name, env, secrets, displayName, adopt, wait, deleteTracingProject, trigger } = declared;
  return {
    name,
    sourceConfig: {
      repoUrl: repositoryUrl(declared.repository),
      ...(buildCommand === undefined ? {} : { buildCommand }),
    },
    sourceRevisionConfig: { repoRef: declared.ref, graphConfigPath: "graph.json" },
    ...(env === undefined ? {} : { env }),
    ...(secrets === undefined ? {} : { secrets }),
    ...(displayName === undefined ? {} : { displayName }),
    ...(adopt === undefined ? {} : { adopt }),
    ...(wait === undefined ? {} : { wait }),
    ...(deleteTracingProject === undefined ? {} : { deleteTracingProject }),
    ...(trigger === undefined ? {} : { triggers: { number: trigger } }),
  };
}

function optionsOf(declared: DeclaredDeployment): DeploymentOptions {
  const { protect, retainOnDelete, deleteBeforeReplace, ignoreChanges, replaceOnChanges } = declared;
  return {
    ...(protect === undefined ? {} : { protect }),
    ...(retainOnDelete === undefined ? {} : { retainOnDelete }),
    ...(deleteBeforeReplace === undefined ? {} : { deleteBeforeReplace }),
    ...(ignoreChanges === undefined ? {} : { ignoreChanges: [...ignoreChanges] }),
    ...(replaceOnChanges === undefined ? {} : { replaceOnChanges: [...replaceOnChanges] }),
  };
}

export function repositoryUrl(number: number): string {
  return `https://github.com/acme/agent-${number}`;
}
