import { type CommonInputs, type InputSources, readCommonInputs } from "../common-inputs.ts";
import { type InputName, inputDefaults } from "../input-defaults.ts";
import type { InputProblem } from "../input-problem.ts";
import { InputReader } from "../input-reader.ts";

/** The inputs of a run whose deployments a file declares. */
export interface FileInputs extends CommonInputs {
  /** Path of the file in the checkout. */
  config: string;
  /** The overlay to merge. */
  environment: string | undefined;
  /** Keys of deployments; `undefined` for all. */
  only: readonly string[] | undefined;
}

/** Inputs that declare what the file declares for each deployment, with where the file has it. */
const declaringInputs: Partial<Record<InputName, string>> = {
  name: "name",
  source: "source",
  "repo-url": "source_config.repo_url",
  "integration-id": "source_config.integration_id",
  "graph-config-path": "source_revision_config.graph_config_path",
  "working-directory": "source_revision_config.graph_config_path",
  "image-uri": "source_revision_config.image_uri",
  "deployment-type": "source_config.deployment_type",
  "build-on-push": "source_config.build_on_push",
  "install-command": "source_config.install_command",
  "build-command": "source_config.build_command",
  "resource-spec": "source_config.resource_spec",
  "listener-id": "source_config.listener_id",
  "k8s-namespace": "source_config.listener_config",
  "custom-url": "source_config.custom_url",
  "display-name": "display_name",
  env: "env",
  secrets: "secrets",
  "secret-references": "secret_references",
  ref: "source_revision_config.repo_ref",
  "preview-name": "previews.name",
};

/** Inputs that don't apply to several deployments, with the reason. */
const singleInputs: Partial<Record<InputName, string>> = {
  "env-update": "undeclared variables are kept",
  "env-remove": "undeclared variables are kept",
  sha: "the commit is that of the event",
  "on-superseded": "a deployment that is superseded isn't live, and others may depend on it",
  "on-failure": "a rollback of one deployment would leave it beside newer ones",
};

/** Reads the inputs that go with a file, and refuses all others that are given. */
export function readFileInputs(sources: InputSources): { inputs: FileInputs; problems: InputProblem[] } {
  const reader = new InputReader(sources.get);
  const { text, rawText, withDefault, flag } = reader;
  const common = readCommonInputs(reader, sources);
  const isGiven = (name: string) =>
    text(name as InputName) !== undefined && withDefault(name as InputName) !== inputDefaults[name as InputName];
  for (const [name, place] of Object.entries(declaringInputs)) {
    if (isGiven(name)) reader.report(name, `can't be given with config: the file declares it, as ${place}.`);
  }
  for (const [name, reason] of Object.entries(singleInputs)) {
    if (isGiven(name)) reader.report(name, `can't be given with config: ${reason}.`);
  }
  if (flag("wait") === false) {
    reader.report("wait", "can't be false with config: a deployment waits until those that it depends on are live.");
  }
  if (common.smokeTest?.run !== undefined) {
    reader.report("smoke-test", "can only be ok or false with config: a run is the test of one deployment.");
  }
  if (common.operation === "redeploy") {
    reader.report("operation", '"redeploy" rolls out one deployment again, and a file has several: use "deploy".');
  }
  const environment = text("environment");
  const only = rawText("only")
    .split(/[\n,]/)
    .map((key) => key.trim())
    .filter((key) => key !== "");
  const inputs = {
    ...common,
    config: text("config") ?? "",
    environment,
    only: only.length === 0 ? undefined : only,
    githubEnvironment: common.githubEnvironment ?? environment,
  };
  return { inputs, problems: reader.problems };
}
