import { ConfigError, type NameInUse } from "../core/client/errors.ts";
import { ownerOf } from "../core/reconcile/ownership.ts";

interface UrnParts {
  /** `urn:pulumi:<stack>::<project>`. */
  stack: string;
  /** The types of the parents and of the resource, joined by `$`. */
  type: string;
  name: string;
}

function parse(urn: string): UrnParts | undefined {
  const match = /^(urn:pulumi:[^:]+::[^:]+)::(.+?)::(.+)$/.exec(urn);
  return match === null ? undefined : { stack: match[1] ?? "", type: match[2] ?? "", name: match[3] ?? "" };
}

/**
 * Extends the error about a name in use with advice for a Pulumi program. If another resource of the same stack owns
 * the deployment, it was probably renamed or moved, and adopting it would only hide that.
 */
export function explainNameInUse(error: NameInUse, resourceUrn: string | undefined): ConfigError {
  const { marker, deploymentId } = error;
  const urn = marker === undefined ? undefined : /^pulumi#(.+)$/.exec(ownerOf(marker))?.[1];
  const owner = parse(urn ?? "");
  const own = parse(resourceUrn ?? "");
  if (owner === undefined || owner.stack !== own?.stack) return error;
  const alias = owner.type === own.type ? `{ name: ${JSON.stringify(owner.name)} }` : JSON.stringify(urn);
  return new ConfigError(
    `name: the deployment of that name (${deploymentId}) belongs to the resource ${JSON.stringify(owner.name)} of this stack.`,
    {
      path: "name",
      // The marker follows a rename only with the next revision, so the state may know the resource by a later name.
      hint: `If this resource is that one under another name or parent, add the resource option \`aliases: [${alias}]\` (or its present URN, by \`pulumi stack --show-urns\`, if it was renamed since). If it was renamed in an earlier run and is to be replaced now, set \`adopt\`. Otherwise choose another name.`,
    },
  );
}
