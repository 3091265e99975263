import type { DesiredDeployment } from "../deployment.ts";
import type { DeclaredDeployment } from "./declaration.ts";
import type { DeclaredPreviews } from "./schema.ts";

const defaultName = "{name}-pr-{number}";

/** The deployments of a pull request: those that have previews, under names of their own. */
export function previewsOf(
  declared: readonly DeclaredDeployment[],
  { name: pattern = defaultName, deployments: keys }: DeclaredPreviews = {},
  pullRequest: number,
): DeclaredDeployment[] {
  const chosen = declared.filter(({ key }) => keys === undefined || keys.includes(key));
  return chosen.map((one) => ({
    ...one,
    desired: previewOf(one.desired, pattern, pullRequest),
    dependsOn: one.dependsOn.filter((key) => chosen.some((other) => other.key === key)),
  }));
}

/** A preview must not get the address or the display name of the deployment itself. */
function previewOf(desired: DesiredDeployment, pattern: string, pullRequest: number): DesiredDeployment {
  const { sourceConfig, displayName: _, ...rest } = desired;
  const { customUrl: __, ...config } = sourceConfig ?? {};
  const name = pattern.replaceAll("{name}", desired.name).replaceAll("{number}", String(pullRequest));
  return { ...rest, name, ...(sourceConfig === undefined ? {} : { sourceConfig: config }) };
}
