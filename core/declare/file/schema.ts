import { z } from "zod";
import { deploymentTypes, resourceSpecSchema, sources } from "../../client/wire/deployments.ts";
import { toBothNames } from "../../client/wire/naming.ts";
import { assistantSchema, cronSchema, filledText, storeItemSchema } from "./agent-schema.ts";
import { removable } from "./removable.ts";

/** Editors offer the known values; others are taken, since a newer platform may have more. */
function openEnum(known: readonly string[]) {
  return z.union([z.enum(known), filledText], "must be a string");
}

const sourceConfigSchema = z.strictObject({
  integration_id: filledText.optional().describe("The GitHub integration that reads the repository."),
  repo_url: filledText.optional().describe("URL of the repository. Required for the source github."),
  deployment_type: openEnum(deploymentTypes).optional().describe("Size of the deployment; can't change."),
  build_on_push: z.boolean().optional().describe("Whether a push builds a revision."),
  custom_url: filledText.optional().describe("Address of the agent server (external_docker only)."),
  resource_spec: resourceSpecSchema.optional().describe("Compute of the deployment."),
  listener_id: filledText.optional().describe("The listener that runs the deployment; can't change."),
  listener_config: z
    .strictObject({ k8s_namespace: filledText.optional().describe("Kubernetes namespace; can't change.") })
    .optional()
    .describe("Where the listener runs it."),
  install_command: filledText.optional().describe("Command that installs the dependencies."),
  build_command: filledText.optional().describe("Command that builds the code."),
});

const configPath = filledText
  .optional()
  .describe(
    "Path of the graph configuration file in the repository, under one of its two names. Required for the source github.",
  );

const sourceRevisionConfigSchema = z.strictObject({
  repo_ref: filledText.optional().describe("A branch by its bare name, a tag as refs/tags/<tag>."),
  ...(toBothNames({ graph_config_path: configPath }) as { graph_config_path: typeof configPath }),
  image_uri: filledText.optional().describe("The container image. Required for the source external_docker."),
  source_tarball_path: filledText.optional().describe("Object path of an uploaded tarball (internal_source only)."),
});

const environment = z.record(z.string(), z.string());

const shared = {
  source: openEnum(sources.filter((source) => source !== "internal_template"))
    .optional()
    .describe("Where the code comes from; required, here or in defaults, and can't change."),
  integration: z
    .literal("auto")
    .optional()
    .describe("Finds the integration from the repository's URL, in the place of integration_id."),
  source_config: sourceConfigSchema.optional().describe("What changes without a new revision, or can't change."),
  source_revision_config: sourceRevisionConfigSchema.optional().describe("What a revision is built from."),
  display_name: filledText.optional().describe("Shown instead of the name; can't be cleared."),
  env: environment.optional().describe("Plain environment variables by name."),
  secrets: environment.optional().describe("Secret environment variables by name."),
  secret_references: z
    .record(
      z.string(),
      z.strictObject({
        secret_name: filledText.describe("Name of the Kubernetes Secret."),
        secret_key: filledText.describe("Key in it."),
      }),
    )
    .optional()
    .describe("Environment variables filled from Kubernetes Secrets, by name (external_docker only)."),
  assistants: z.record(filledText, assistantSchema).optional().describe("Assistants of the agent server, by name."),
  crons: z.record(filledText, cronSchema).optional().describe("Periodic runs, by a name of your own."),
  store: z.array(storeItemSchema).optional().describe("Items of the agent server's store."),
};

const defaultsSchema = z.strictObject(shared).meta({ id: "defaults" });

/** A deployment as it is after defaults and overlays; also what one may hold in the file. */
export const deploymentSchema = z
  .strictObject({
    name: filledText.optional().describe("Name on the platform, where it differs from the key; can't change."),
    ...shared,
    depends_on: z.array(filledText).optional().describe("Deployments of this file, by key, that must be live before."),
  })
  .meta({ id: "deployment" });

const previewsSchema = z.strictObject({
  name: filledText
    .optional()
    .describe("Name of a pull request's preview, from {name} and {number}. Default: {name}-pr-{number}."),
  environment: filledText.optional().describe("The overlay that previews use."),
  deployments: z
    .array(filledText)
    .optional()
    .describe("Deployments, by key, that have previews. Default: all of them."),
});

const overlaySchema = z.strictObject({
  defaults: removable(defaultsSchema).optional().describe("Merged over defaults."),
  deployments: z
    .record(z.string(), removable(deploymentSchema).nullable())
    .optional()
    .describe("Merged over the deployments of the same key; null removes one."),
});

/** A declarative file. */
export const declarativeFileSchema = z
  .strictObject({
    $schema: z.string().optional().describe("Address of the JSON Schema, for editors."),
    version: z.literal(1).describe("Version of the file's format."),
    defaults: defaultsSchema.optional().describe("What every deployment has unless it says otherwise."),
    deployments: z.record(z.string(), deploymentSchema).describe("The deployments, by name."),
    environments: z
      .record(z.string(), overlaySchema)
      .optional()
      .describe(
        "Overlays by name. The chosen one is merged over defaults and deployments; null removes what they have.",
      ),
    previews: previewsSchema.optional().describe("Deployments of pull requests."),
  })
  .meta({ title: "graphdeploy.yaml" });

export type DeclaredAssistant = z.output<typeof assistantSchema>;
export type DeclaredCron = z.output<typeof cronSchema>;
export type DeclaredStoreItem = z.output<typeof storeItemSchema>;
export type DeclaredPreviews = z.output<typeof previewsSchema>;

/** The JSON Schema of a declarative file, for editors. */
export function declarativeFileJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(declarativeFileSchema, { io: "input" });
}
