import { z } from "zod";
import { nullProblem, type Problem, toProblems } from "./declaration-problems.ts";
import { ruleProblems } from "./declaration-rules.ts";
import type { DesiredDeployment } from "./desired.ts";
import { isWithin, knownValue } from "./unknown-values.ts";
import { deploymentTypeSchema, sourceSchema } from "./wire/source-config.ts";

const text = z.string("must be a string");
const filledText = text.min(1, "must not be empty");
const environmentSchema = z.record(z.string(), text, "must be a map of names to strings");

const sourceConfigSchema = z.strictObject({
  integrationId: filledText.optional(),
  repoUrl: filledText.optional(),
  deploymentType: (deploymentTypeSchema as z.ZodType<string>).optional(),
  buildOnPush: z.boolean("must be true or false").optional(),
  customUrl: filledText.optional(),
  resourceSpec: z.record(z.string(), z.unknown()).optional(),
  listenerId: filledText.optional(),
  listenerConfig: z.strictObject({ k8sNamespace: filledText.optional() }).optional(),
  installCommand: filledText.optional(),
  buildCommand: filledText.optional(),
});

const sourceRevisionConfigSchema = z.strictObject({
  repoRef: filledText.optional(),
  graphConfigPath: filledText.optional(),
  imageUri: filledText.optional(),
  sourceTarballPath: filledText.optional(),
});

const desiredSchema = z.strictObject({
  name: filledText,
  source: sourceSchema as z.ZodType<string>,
  sourceConfig: sourceConfigSchema.optional(),
  sourceRevisionConfig: sourceRevisionConfigSchema.optional(),
  env: environmentSchema.optional(),
  secrets: environmentSchema.optional(),
  secretReferences: z.record(z.string(), z.strictObject({ secretName: filledText, secretKey: filledText })).optional(),
  displayName: filledText.optional(),
});

/** What can be declared; anything else in its place is a typo. */
export const desiredFields: readonly string[] = Object.keys(desiredSchema.shape);

/**
 * Validates a declaration once, at the door; behind it nothing checks again.
 *
 * `isUnknown` tells a value that the door doesn't know yet (a Pulumi output in preview): it is taken as right.
 */
export function validateDesired(
  declared: unknown,
  isUnknown: (value: unknown) => boolean = () => false,
): { desired: DesiredDeployment; problems: readonly Problem[] } {
  const { value, unknownPaths, nullPaths } = knownValue(declared, isUnknown);
  const parsed = desiredSchema.safeParse(value, { reportInput: true });
  const shapeProblems = parsed.success ? [] : parsed.error.issues.flatMap(toProblems);
  const untold = [...unknownPaths, ...nullPaths];
  const problems = [
    ...nullPaths.map(nullProblem),
    ...shapeProblems.filter((problem) => !untold.some((path) => isWithin(path, problem.path))),
  ];
  const desired = value as DesiredDeployment;
  return { desired, problems: problems.length > 0 ? problems : [...ruleProblems(desired, unknownPaths)] };
}
