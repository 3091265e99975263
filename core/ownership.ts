import { ConfigError } from "./errors.ts";
import { generationOf, ownerOf, readMarker } from "./ownership-marker.ts";
import type { Deployment } from "./wire/deployment.ts";

/** How somebody holds a deployment, or is about to. */
export interface Claim {
  /** Who: `pulumi#<urn>`, for example. It may have changed since the marker was written: resources are renamed and moved. */
  owner: string;
  /** Of this holder; written with the next marker. */
  generation?: string | undefined;
  /** The marker that this holder last wrote; `undefined` when it wrote none, because ownership couldn't be shown. */
  held?: string | undefined;
}

/**
 * What a deployment's marker says to one who holds it. `unmarked`: it has no marker, or the platform hides it. `older`: the marker names the same
 * owner in another generation, so something newer holds the deployment. `foreign`: somebody else does.
 */
export type Relation = "own" | "unmarked" | "older" | "foreign";

/** Compares the platform's marker with the one that was last written, never with today's owner alone. */
export function relationOf({ secrets }: Pick<Deployment, "secrets">, claim: Claim): Relation {
  const { owner, generation, held } = claim;
  const found = readMarker(secrets);
  if (found === undefined) return "unmarked";
  const foundGeneration = generationOf(found);
  if (
    foundGeneration === undefined ? found === held : [generation, held && generationOf(held)].includes(foundGeneration)
  )
    return "own";
  return [owner, held && ownerOf(held)].includes(ownerOf(found)) ? "older" : "foreign";
}

/**
 * @returns the relation, where it allows a change
 * @throws {@link ConfigError} when somebody else holds the deployment
 */
export function requireOwnership(deployment: Deployment, claim: Claim): Relation {
  const relation = relationOf(deployment, claim);
  if (relation !== "foreign") return relation;
  throw new ConfigError(
    `Deployment ${deployment.name} (${deployment.id}) is owned by ${ownerOf(readMarker(deployment.secrets) ?? "")} now, so it isn't changed from here.`,
    {
      path: "name",
      hint: "Nothing was changed. Remove it here without deleting it, or set `adopt` to take it back.",
    },
  );
}
