import { isTagRef } from "./declaration-rules.ts";
import { definedFields } from "./defined-fields.ts";
import type { DesiredDeployment } from "./desired.ts";
import { environmentEntries } from "./environment.ts";
import { snakeCaseKeys } from "./key-case.ts";
import { referenceList } from "./secret-references.ts";
import type { DeploymentCreateRequest } from "./wire/deployment.ts";

/** The request that creates the deployment. A display name isn't part of it: the platform takes that only from a PATCH. */
export function createRequest(desired: DesiredDeployment, marker: string | undefined): DeploymentCreateRequest {
  const { sourceConfig = {}, sourceRevisionConfig = {} } = desired;
  const { resourceSpec, listenerConfig, ...plain } = sourceConfig;
  // A tag can't be built on push, which a server might otherwise do unasked.
  const buildOnPush = plain.buildOnPush ?? (isTagRef(sourceRevisionConfig.repoRef ?? "") ? false : undefined);
  const spec = resourceSpec ?? (desired.source === "external_docker" ? {} : undefined);
  return {
    name: desired.name,
    source: desired.source,
    source_config: definedFields({
      ...snakeCaseKeys(plain),
      build_on_push: buildOnPush,
      resource_spec: spec && snakeCaseKeys(spec),
      listener_config: listenerConfig && snakeCaseKeys(listenerConfig),
    }),
    source_revision_config: definedFields(snakeCaseKeys({ ...sourceRevisionConfig })),
    secrets: environmentEntries(desired, [], marker),
    ...(desired.secretReferences === undefined ? {} : { secret_references: referenceList(desired) }),
  };
}
