import { isDeepStrictEqual } from "node:util";
import { definedFields } from "./defined-fields.ts";
import type { DesiredDeployment } from "./desired.ts";
import { snakeCaseKeys } from "./key-case.ts";
import type { Deployment } from "./wire/deployment.ts";

/** The resource spec to send, or `undefined` when the platform's is right. It is replaced whole, so what nobody declared is carried over. */
export function mergedResourceSpec(
  desired: DesiredDeployment,
  observed: Deployment,
  previous: DesiredDeployment | undefined,
): Record<string, unknown> | undefined {
  const before = snakeCaseKeys(previous?.sourceConfig?.resourceSpec ?? {});
  const declared = desired.sourceConfig?.resourceSpec;
  if (declared === undefined && Object.keys(before).length === 0) return undefined;
  const wanted = snakeCaseKeys(declared ?? {});
  const present: Record<string, unknown> = observed.source_config.resource_spec ?? {};
  const kept = Object.entries(present).filter(([name]) => !Object.hasOwn(before, name));
  const merged = definedFields({ ...Object.fromEntries(kept), ...wanted });
  return isDeepStrictEqual(roundedSpec(definedFields(present)), roundedSpec(merged)) ? undefined : merged;
}

/** A resource spec as the platform keeps it: cores to one decimal. */
export function roundedSpec(spec: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(spec).map(([name, value]) => [
      name,
      typeof value === "number" && name.includes("cpu") ? Math.round(value * 10) / 10 : value,
    ]),
  );
}
