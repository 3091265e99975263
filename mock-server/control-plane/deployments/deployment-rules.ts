import {
  isReservedName,
  type Secret,
  type SourceConfig,
  type SourceRevisionConfig,
} from "../../../core/client/wire/deployments.ts";
import { badRequest } from "../../kit/http/http-error.ts";
import { isBuilt } from "../revisions/rollout.ts";
import type { CreateBody, PatchBody } from "../schemas.ts";
import type { DeploymentRecord } from "../store/records.ts";
import type { Edition } from "../tenancy.ts";

/** A source and its settings after a create or patch. Config paths have neutral names. */
interface SourceState {
  source: string;
  sourceConfig: SourceConfig;
  revisionConfig: SourceRevisionConfig;
}

const isGiven = (value: unknown) => value !== null && value !== undefined;

/** Checks the rules that schemas can't express. @throws {HttpError} 400 */
export function checkCreate(body: CreateBody, revisionConfig: SourceRevisionConfig, edition: Edition): void {
  if (body.name.trim() === "") throw badRequest("name must not be empty.");
  if (isGiven(body.display_name)) {
    throw badRequest("display_name can't be set when a deployment is created: set it with a PATCH afterwards.");
  }
  checkEdition(body.source, edition);
  const { source, source_config: sourceConfig } = body;
  if (source === "github") {
    requireField(sourceConfig.repo_url, "source_config.repo_url", source);
    requireField(revisionConfig.graph_config_path, "source_revision_config.graph_config_path", source);
  }
  // The upload URL of a tarball needs an existing deployment.
  if (isGiven(revisionConfig.source_tarball_path)) {
    throw badRequest(
      "source_revision_config.source_tarball_path can't be set before its upload URL was created: PATCH it.",
    );
  }
  if (source === "external_docker") {
    requireField(revisionConfig.image_uri, "source_revision_config.image_uri", source);
    requireField(sourceConfig.resource_spec, "source_config.resource_spec (it may be {})", source);
  }
  checkSource({ source, sourceConfig, revisionConfig });
  checkSecrets(body.secrets, edition);
}

/** Checks the rules that schemas can't express. @throws {HttpError} 400 */
export function checkPatch(
  body: PatchBody,
  patchedConfig: SourceRevisionConfig,
  record: DeploymentRecord,
  merged: Omit<SourceState, "source">,
): void {
  if (body.display_name?.trim() === "") throw badRequest("display_name must have at least 1 character.");
  if (body.source_config) checkImmutable(body.source_config, record.sourceConfig);
  if (isGiven(body.revision_source) && record.source === "external_docker") {
    throw badRequest('revision_source can\'t be set for source "external_docker".');
  }
  const source = body.revision_source ?? record.source;
  checkSource({ source, sourceConfig: body.source_config ?? {}, revisionConfig: patchedConfig });
  checkRef(merged.sourceConfig, merged.revisionConfig);
  checkSecrets(body.secrets ?? [], record.edition);
}

function checkEdition(source: string, edition: Edition): void {
  if (edition === "cloud" && source === "external_docker") {
    throw badRequest('source "external_docker" is only available for self-hosted deployments.');
  }
  if (edition === "self-hosted" && source !== "external_docker") {
    throw badRequest(`source "${source}" is only available for cloud-hosted deployments.`);
  }
}

function requireField(value: unknown, field: string, source: string): void {
  if (!isGiven(value) || value === "") throw badRequest(`${field} is required for source "${source}".`);
}

function checkSource({ source, sourceConfig, revisionConfig }: SourceState): void {
  const refuse = (value: unknown, field: string) => {
    if (isGiven(value)) throw badRequest(`${field} can't be set for source "${source}".`);
  };
  if (source !== "github") {
    refuse(sourceConfig.repo_url, "source_config.repo_url");
    refuse(revisionConfig.repo_ref, "source_revision_config.repo_ref");
    if (sourceConfig.build_on_push) refuse(true, "source_config.build_on_push");
  }
  if (!isBuilt(source)) refuse(revisionConfig.graph_config_path, "source_revision_config.graph_config_path");
  if (source !== "internal_source") {
    refuse(revisionConfig.source_tarball_path, "source_revision_config.source_tarball_path");
  }
  if (source === "external_docker") refuse(sourceConfig.deployment_type, "source_config.deployment_type");
  else {
    refuse(sourceConfig.custom_url, "source_config.custom_url");
    refuse(sourceConfig.listener_id, "source_config.listener_id");
    if (source !== "internal_docker") refuse(revisionConfig.image_uri, "source_revision_config.image_uri");
  }
  checkRef(sourceConfig, revisionConfig);
}

function checkRef(sourceConfig: SourceConfig, revisionConfig: SourceRevisionConfig): void {
  const ref = revisionConfig.repo_ref;
  if (ref === null || ref === undefined) return;
  if (ref.trim() === "") throw badRequest("source_revision_config.repo_ref must not be empty.");
  if (ref.startsWith("refs/heads/")) {
    throw badRequest(
      `source_revision_config.repo_ref gives a branch by its bare name: write "${ref.slice("refs/heads/".length)}".`,
    );
  }
  if (ref.startsWith("refs/tags/") && sourceConfig.build_on_push) {
    throw badRequest("source_config.build_on_push must be false when source_revision_config.repo_ref is a tag.");
  }
}

const immutableFields = ["integration_id", "repo_url", "deployment_type", "listener_id", "template_id"] as const;

function checkImmutable(patched: SourceConfig, present: SourceConfig): void {
  const changed: string[] = immutableFields.filter(
    (field) => isGiven(patched[field]) && patched[field] !== (present[field] ?? null),
  );
  const namespace = patched.listener_config?.k8s_namespace;
  if (isGiven(namespace) && namespace !== present.listener_config?.k8s_namespace) {
    changed.push("listener_config.k8s_namespace");
  }
  if (changed.length > 0) {
    throw badRequest(`source_config.${changed[0]} can't be changed once the deployment is created.`);
  }
}

function checkSecrets(secrets: readonly Secret[], edition: Edition): void {
  const seen = new Set<string>();
  for (const { name } of secrets) {
    if (name.trim() === "") throw badRequest("The name of a secret must not be empty.");
    if (isReservedName(name, edition)) throw badRequest(`${name} is a reserved name: it can't be used for a secret.`);
    if (seen.has(name)) throw badRequest(`The secret ${name} is given more than once.`);
    seen.add(name);
  }
}
