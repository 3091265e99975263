import { z } from "zod";
import { toBothNames } from "../../client/wire/conventions.ts";
import { deploymentTypes, resourceSpecSchema, sources } from "../../client/wire/deployments.ts";

/** A text with at least one character. */
const filledText = z.string().min(1);

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

const freeMap = z.record(z.string(), z.unknown());

const runConfig = z.looseObject({
  tags: z.array(z.string()).optional().describe("Tags of the runs."),
  recursion_limit: z.int().optional().describe("How many steps a run may take."),
  configurable: freeMap.optional().describe("Values that the graph reads from its config."),
});

const nodes = z.union([z.literal("*"), z.array(z.string())], "must be * or a list of names of nodes");
const streamModes = [
  ...(["values", "messages", "messages-tuple", "tasks", "checkpoints"] as const),
  ...(["updates", "events", "debug", "custom"] as const),
] as const;
const streamMode = z.enum(streamModes);

/** An assistant of the agent server. Its name is its key in the file. */
export const assistantSchema = z.strictObject({
  graph_id: filledText.describe("Name of the graph."),
  assistant_id: z.guid().optional().describe("Its UUID. Without one, the agent server makes one."),
  description: z.string().optional().describe("Shown beside the name."),
  config: runConfig.optional().describe("Config of its runs."),
  context: freeMap.optional().describe("Values for the graph's context schema."),
  metadata: freeMap.optional().describe("Metadata to search by."),
});

/** Periodic runs. Their key in the file names them for overlays and messages. */
export const cronSchema = z.strictObject({
  schedule: filledText.describe("When it runs, as a cron expression."),
  assistant_id: filledText.describe(
    "Name of a graph, name of an assistant in this deployment, or UUID of an assistant.",
  ),
  timezone: filledText.optional().describe("IANA time zone of the schedule; UTC without one."),
  end_time: z.iso.datetime({ offset: true }).optional().describe("When it stops."),
  enabled: z.boolean().optional().describe("Whether it runs at all."),
  input: z
    .union([z.array(freeMap), freeMap], "must be a map or a list of maps")
    .optional()
    .describe("Input of each run."),
  metadata: freeMap.optional().describe("Metadata of the cron."),
  config: runConfig.optional().describe("Config of each run."),
  context: freeMap.optional().describe("Context of each run."),
  webhook: filledText.optional().describe("URL that is called when a run has ended."),
  interrupt_before: nodes.optional().describe("Nodes to stop before."),
  interrupt_after: nodes.optional().describe("Nodes to stop after."),
  on_run_completed: z.enum(["delete", "keep"]).optional().describe("What becomes of the run's thread."),
  stream_mode: z
    .union([streamMode, z.array(streamMode)], `must be one or a list of ${streamModes.join(", ")}`)
    .optional()
    .describe("What its event streams carry."),
  stream_subgraphs: z.boolean().optional().describe("Whether streams carry the output of subgraphs."),
  stream_resumable: z.boolean().optional().describe("Whether a stream can be joined again."),
  durability: z.enum(["sync", "async", "exit"]).optional().describe("When checkpoints are written."),
});

/** An item of the agent server's store. */
export const storeItemSchema = z.strictObject({
  namespace: z.array(filledText).min(1).describe("Path of names that the item is kept under."),
  key: filledText.describe("Its key in the namespace."),
  value: freeMap.describe("What is kept."),
  index: z
    .union([z.literal(false), z.array(z.string())], "must be false or a list of paths")
    .optional()
    .describe("Paths of the value to index for search; false for none."),
  ttl: z.number().positive().optional().describe("How long it is kept, in minutes."),
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

/** `schema` for an overlay: nothing is required, and null in the place of any value of a map removes it. */
function removable(schema: z.ZodType): z.ZodType {
  const description = schema.description;
  const inner = schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema;
  const copy = copyOf(inner);
  return description === undefined ? copy : copy.describe(description);
}

function copyOf(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodRecord) {
    return z.record(schema.keyType as z.core.$ZodRecordKey, removable(schema.valueType as z.ZodType).nullable());
  }
  if (!(schema instanceof z.ZodObject)) return schema;
  const fields = Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, field]) => {
    return [name, removable(field).nullable().optional()] as const;
  });
  return z.object(Object.fromEntries(fields)).catchall((schema.def.catchall ?? z.never()) as z.core.$ZodType);
}

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
