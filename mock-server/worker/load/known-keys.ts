import { z } from "zod";
import { nearestName } from "../../../core/names.ts";
import { didYouMean } from "../../kit/unknown-names.ts";
import type { ConfigDocument } from "./config-document.ts";
import type { Problem } from "./config-problems.ts";
import { type GraphConfig, graphConfigSchema } from "./graph-config-schema.ts";

/** Keys for other tools, which don't affect how graphs run. */
export const keysOfOthers = ["$schema", "dependencies", "_INTERNAL_docker_tag"];

/** Keys without effect here, with the reason. */
export const inertKeys: Readonly<Record<string, string>> = {
  dockerfile_lines: "no image is built",
  docker_compose_file: "no image is built",
  base_image: "no image is built",
  image_distro: "no image is built",
  keep_pkg_tools: "no image is built",
  source: "no image is built",
  pip_config_file: "no Python packages are installed",
  pip_installer: "no Python packages are installed",
  python_version: "graphs here are JavaScript or TypeScript",
  node_loader: "the server compiles TypeScript itself",
  api_version: "the server is this one",
  encryption: "what is stored isn't encrypted",
  priority: "runs start in the order of their requests",
  "store.index": "items aren't embedded; queries are scored by their words",
  "store.path": "items are stored by the server itself",
  "checkpointer.path": "checkpoints are stored by the server itself",
  "checkpointer.backend": "checkpoints are stored by the server itself",
  "checkpointer.serde": "checkpoints of JavaScript and TypeScript hold no Python objects",
};

/**
 * Warnings about keys of a configuration file without effect, one sentence with the line each: unknown keys at any
 * depth, and known ones.
 */
export function inertKeyWarnings(path: string, document: ConfigDocument): string[] {
  const config = document.content as GraphConfig;
  const found = [...unknownIn(config, graphConfigSchema, []), ...inertIn(config)];
  const warnings = found.map(
    ({ at, reason }) => `${place(path, document, at)}: ${at.join(".")} has no effect here${reason}.`,
  );
  const version = versionMismatch(config.node_version);
  return version === undefined ? warnings : [...warnings, `${place(path, document, ["node_version"])}: ${version}`];
}

/**
 * The problems of a schema. A missing key is reported at the unknown one beside it that probably stands for it, if there
 * is one.
 */
export function problemsWithKeys(problems: readonly Problem[], content: unknown): Problem[] {
  const unknown = unknownIn(content, graphConfigSchema, []);
  return problems.map((problem) => {
    const owner = problem.at.slice(0, -1).map(String);
    const name = String(problem.at.at(-1));
    const fields = owner.reduce<unknown>((part, key) => (part as Record<string, unknown> | undefined)?.[key], content);
    const isMissing = problem.at.length > 0 && typeof fields === "object" && fields !== null && !(name in fields);
    if (!isMissing) return problem;
    const beside = unknown.filter(({ at }) => at.slice(0, -1).join("\n") === owner.join("\n"));
    const meant = beside.find(({ at }) => nearestName(String(at.at(-1)), [name]) !== undefined);
    if (meant === undefined) return { ...problem, text: "is missing" };
    return { at: meant.at, text: `isn't a known key${didYouMean(String(meant.at.at(-1)), [name])}` };
  });
}

interface KeyInVain {
  at: string[];
  reason: string;
}

function inertIn(config: GraphConfig): KeyInVain[] {
  return Object.entries(inertKeys).flatMap(([name, reason]) => {
    const at = name.split(".");
    const value = at.reduce<unknown>(
      (part, key) => (part as Record<string, unknown> | null | undefined)?.[key],
      config,
    );
    return value === undefined || value === null ? [] : { at, reason: `: ${reason}` };
  });
}

function unknownIn(value: unknown, schema: z.ZodType, at: string[]): KeyInVain[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  const entries = Object.entries(value);
  const inner = objectSchema(schema);
  if (inner instanceof z.ZodRecord) {
    return entries.flatMap(([key, part]) => unknownIn(part, inner.valueType as z.ZodType, [...at, key]));
  }
  if (!(inner instanceof z.ZodObject)) return [];
  const shape = inner.shape as Record<string, z.ZodType>;
  const prefix = at.map((key) => `${key}.`).join("");
  const inert = Object.keys(inertKeys).filter((key) => key.startsWith(prefix));
  const others = [...(prefix === "" ? keysOfOthers : []), ...inert.map((key) => key.slice(prefix.length))];
  return entries.flatMap(([key, part]) => {
    const known = shape[key];
    if (known) return unknownIn(part, known, [...at, key]);
    if (others.includes(key)) return [];
    return { at: [...at, key], reason: didYouMean(key, [...Object.keys(shape), ...others]).replace(/\?$/, "") };
  });
}

/** The object or record schema among the alternatives of a schema. */
function objectSchema(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return objectSchema(schema.unwrap() as z.ZodType);
  if (!(schema instanceof z.ZodUnion)) return schema;
  const options = (schema.options as z.ZodType[]).map(objectSchema);
  return options.find((option) => option instanceof z.ZodObject || option instanceof z.ZodRecord) ?? schema;
}

/** A warning if the graphs run on another version of Node.js than the file says. */
function versionMismatch(version: string | number | null | undefined): string | undefined {
  const running = process.versions.node.split(".")[0];
  if (version === undefined || version === null || String(version).replace(/^v/, "").split(".")[0] === running)
    return undefined;
  return `node_version is ${version}, and the graphs run on Node.js ${running}, as the server does.`;
}

function place(path: string, { lineOf }: ConfigDocument, at: readonly string[]): string {
  return `${path}:${lineOf(at) ?? 1}`;
}
