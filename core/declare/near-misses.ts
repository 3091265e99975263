import { z } from "zod";
import { deploymentTypes, resourceSpecSchema, sources } from "../client/wire/deployments.ts";
import { camelCase, isSpeltAlike, nearestName, snakeCase } from "../names.ts";
import type { DesiredDeployment } from "./deployment.ts";

type FieldPath = readonly string[];

/** What is probably a mistake; `path` leads to the field. */
interface Doubt {
  path: FieldPath;
  message: string;
}

/** Stands for a name that the user chose, in the path of a field. */
const anyName = "*";

/** The paths of all fields that a schema knows. */
export function fieldPaths(schema: z.ZodType, path: FieldPath = []): FieldPath[] {
  const inner = withoutWrappers(schema);
  if (inner instanceof z.ZodRecord) return fieldPaths(inner.valueType as z.ZodType, [...path, anyName]);
  if (!(inner instanceof z.ZodObject)) return [];
  const fields = Object.entries(inner.shape as Record<string, z.ZodType>);
  return fields.flatMap(([name, field]) => [[...path, name], ...fieldPaths(field, [...path, name])]);
}

export function withoutWrappers(schema: z.ZodType): z.ZodType {
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable;
  return isWrapped ? withoutWrappers(schema.unwrap() as z.ZodType) : schema;
}

/** What to do about an unknown field: to write the one that was probably meant, or to put it where it belongs. */
export function adviceOnField(path: readonly (string | number)[], known: readonly FieldPath[]): string {
  const name = String(path.at(-1));
  const parent = path.slice(0, -1);
  const siblings = known
    .filter((field) => field.length === path.length)
    .filter((field) => parent.every((part, index) => field[index] === anyName || field[index] === part))
    .map((field) => field.at(-1) ?? "");
  const nearest = nearestName(name, siblings);
  const isSibling = nearest !== undefined && isSpeltAlike(nearest, name);
  const place = isSibling
    ? undefined
    : known.find((field) => !field.includes(anyName) && isSpeltAlike(field.at(-1) ?? "", name));
  if (place !== undefined) {
    const owner = place.length === 1 ? "the deployment itself" : place.slice(0, -1).join(".");
    return `It belongs to ${owner}, as ${place.at(-1)}.`;
  }
  return nearest === undefined ? "Check its spelling." : `Did you mean ${nearest}?`;
}

/** Warnings about what is passed on to the platform, which may know more than this version, but is probably a mistake. */
export function* doubtsAbout({ source, sourceConfig, secrets }: DesiredDeployment): Generator<Doubt> {
  const declarable = sources.filter((known) => known !== "internal_template");
  yield* unknownValue(["source"], source, declarable);
  yield* unknownValue(["sourceConfig", "deploymentType"], sourceConfig?.deploymentType, deploymentTypes);
  for (const name of Object.keys(sourceConfig?.resourceSpec ?? {})) {
    const nearest = likelyResourceField(name);
    if (nearest === undefined) continue;
    const message = `isn't a known field, and is passed on unchanged. Did you mean ${nearest}?`;
    yield { path: ["sourceConfig", "resourceSpec", name], message };
  }
  for (const [name, value] of Object.entries(secrets ?? {})) {
    if (value !== "") continue;
    const message = "is empty, and replaces the value that the platform has. Leave it out if that isn't meant.";
    yield { path: ["secrets", name], message };
  }
}

/** The value isn't shown: it may be a secret in the wrong place. */
function* unknownValue(path: FieldPath, value: string | undefined, known: readonly string[]): Generator<Doubt> {
  if (value === undefined || known.includes(value)) return;
  const nearest = nearestName(value, known);
  const advice = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
  yield { path, message: `is none of the known ones, ${known.join(", ")}. It is passed on unchanged.${advice}` };
}

/** The field of a resource spec that an unknown one probably stands for, in the same case. */
function likelyResourceField(name: string): string | undefined {
  const known = Object.keys(resourceSpecSchema.shape);
  if (known.includes(snakeCase(name))) return undefined;
  const nearest = nearestName(snakeCase(name), known);
  return nearest === undefined || name.includes("_") ? nearest : camelCase(nearest);
}
