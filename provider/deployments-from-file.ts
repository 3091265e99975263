import * as pulumi from "@pulumi/pulumi";
import type { DesiredDeployment } from "../core/declare/deployment.ts";
import type { DeclaredDeployment } from "../core/declare/file/declarative-file.ts";
import { camelCaseKeys } from "../core/names.ts";
import { readDeclaredFile } from "./declared-file.ts";
import { Deployment, type DeploymentArgs } from "./deployment.ts";
import { DeferredVariables, type FileVariables } from "./file-variables.ts";
import type { Provider } from "./provider.ts";

/** Which file, and what a file can't say about its deployments. */
export interface DeploymentsFromFileArgs
  extends Pick<DeploymentArgs, "wait" | "timeouts" | "adopt" | "deleteTracingProject"> {
  /**
   * Path of the file, from the program's folder. @default `graphdeploy.yaml`, `graphdeploy.yml` or `graphdeploy.json` in
   * the program's folder, or else beside `Pulumi.yaml`
   */
  file?: string | undefined;
  /** The overlay to merge: a name under `environments` of the file. @default none */
  environment?: string | undefined;
  /** Keys of the deployments to make. @default all */
  only?: readonly string[] | undefined;
  /**
   * Values for `${NAME}` in the file, before those of the process's environment. They may be outputs, such as
   * `config.requireSecret("modelApiKey")`: what a secret is filled into is a secret. Undefined ones count as not given.
   */
  variables?: FileVariables | undefined;
}

/** Pulumi's options of a component, with a `provider` of this package. */
export type DeploymentsFromFileOptions = Omit<pulumi.ComponentResourceOptions, "provider" | "providers"> & {
  provider?: Provider | undefined;
};

/**
 * The deployments of a declarative file, each a {@link Deployment} named `<name>-<key>`. Assistants, crons and store
 * items of the file aren't applied; a warning names them.
 */
export class DeploymentsFromFile extends pulumi.ComponentResource {
  /** By their keys in the file. */
  readonly deployments: Readonly<Record<string, Deployment>>;
  /** Addresses of the agent servers, by the deployments' keys in the file. */
  readonly urls: Readonly<Record<string, pulumi.Output<string>>>;

  /** @throws `pulumi.RunError` that lists all problems of the file, before anything is registered */
  constructor(name: string, args: DeploymentsFromFileArgs = {}, opts: DeploymentsFromFileOptions = {}) {
    const { file: path, environment, only, variables, ...shared } = args;
    const deferred = new DeferredVariables(variables ?? {});
    const { file, declared } = readDeclaredFile({ file: path, environment, only, texts: deferred.texts });
    const { provider, ...options } = opts;
    super("graphdeploy:index:DeploymentsFromFile", name, {}, options);
    const made = new Map<string, Deployment>();
    for (const { key, desired, integration, dependsOn } of inOrderOfDependencies(declared)) {
      const fields = deferred.fillIn({ ...underPulumiNames(desired), integration }) as DeploymentArgs;
      const before = dependsOn.map((other) => made.get(other)).filter((other) => other !== undefined);
      // A component's own `dependsOn` doesn't reach its children.
      const { dependsOn: all } = pulumi.mergeOptions({ dependsOn: opts.dependsOn }, { dependsOn: before });
      const childOptions = { parent: this, dependsOn: all, ...(provider === undefined ? {} : { provider }) };
      made.set(key, new Deployment(`${name}-${key}`, { ...shared, ...fields }, childOptions));
    }
    this.deployments = Object.fromEntries(made);
    this.urls = Object.fromEntries([...made].map(([key, { url }]) => [key, url]));
    warnOfContent(this, file, declared);
    this.registerOutputs({ urls: this.urls });
  }
}

/** In a file, and so in its declaration, the fields of `resourceSpec` have the platform's own names. */
function underPulumiNames({ sourceConfig, ...rest }: DesiredDeployment): DesiredDeployment {
  if (sourceConfig?.resourceSpec === undefined) return { ...rest, sourceConfig };
  return { ...rest, sourceConfig: { ...sourceConfig, resourceSpec: camelCaseKeys(sourceConfig.resourceSpec) } };
}

/** Each deployment after those that it depends on; otherwise in the file's order. */
function inOrderOfDependencies(declared: readonly DeclaredDeployment[]): Iterable<DeclaredDeployment> {
  const ordered = new Set<DeclaredDeployment>();
  const add = (deployment: DeclaredDeployment): void => {
    for (const other of declared) if (deployment.dependsOn.includes(other.key)) add(other);
    ordered.add(deployment);
  };
  declared.forEach(add);
  return ordered;
}

function warnOfContent(resource: pulumi.Resource, file: string, declared: readonly DeclaredDeployment[]): void {
  const named = declared.flatMap(({ key, assistants, crons, store }) => {
    const present = Object.entries({ assistants, crons, store }).filter(
      ([, content]) => Object.keys(content).length > 0,
    );
    return present.length === 0 ? [] : [`${key} (${present.map(([field]) => field).join(", ")})`];
  });
  if (named.length === 0) return;
  const message = `DeploymentsFromFile doesn't apply what ${file} declares for agent servers: ${named.join(", ")}. Run \`graphdeploy apply\` for it.`;
  // Only a failure of the engine would reject it, which then ends the run anyway.
  pulumi.log.warn(message, resource).catch(() => {});
}
