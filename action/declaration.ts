import type { DesiredDeployment } from "../core/desired.ts";
import type { TargetSource } from "./target.ts";

/** What is declared, for the ref that is to go live. */
export function declare(
  declared: DesiredDeployment,
  name: string,
  { ref }: Pick<TargetSource, "ref">,
): DesiredDeployment {
  // A tag never moves, so nothing can be built on a push to it.
  const buildOnPush =
    declared.sourceConfig?.buildOnPush ?? (ref?.startsWith("refs/tags/") === true ? false : undefined);
  const isImage = declared.sourceRevisionConfig?.imageUri !== undefined;
  return {
    ...declared,
    name,
    sourceConfig: { ...declared.sourceConfig, buildOnPush: isImage ? declared.sourceConfig?.buildOnPush : buildOnPush },
    sourceRevisionConfig: { ...declared.sourceRevisionConfig, repoRef: isImage ? undefined : ref },
  };
}
