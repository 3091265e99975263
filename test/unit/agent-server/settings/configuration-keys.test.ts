import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { z } from "zod";
import { graphConfigSchema } from "../../../../mock-server/worker/load/graph-config-schema.ts";
import { inertKeys, keysOfOthers } from "../../../../mock-server/worker/load/known-keys.ts";
import known from "./configuration-keys.json" with { type: "json" };

/**
 * The keys of the graph configuration file that the platform's tools know: those of the deploy CLI 0.4.40 and of the
 * JavaScript CLI 1.5.1, and those that only the server 0.16.7 reads. Each has the test that shows what it does, or `null`
 * if it does nothing here.
 */
const keys = Object.entries(known);

/** The keys of a schema, in the notation of the list. */
function keysOf(schema: z.ZodType, prefix = ""): string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return keysOf(schema.unwrap() as z.ZodType, prefix);
  }
  if (schema instanceof z.ZodUnion) return (schema.options as z.ZodType[]).flatMap((option) => keysOf(option, prefix));
  // Below other records than that of the graphs are names that users choose.
  if (schema instanceof z.ZodRecord) {
    return prefix === "graphs." ? keysOf(schema.valueType as z.ZodType, `${prefix}<name>.`) : [];
  }
  if (!(schema instanceof z.ZodObject)) return [];
  const shape = schema.shape as Record<string, z.ZodType>;
  return Object.entries(shape).flatMap(([name, field]) => [prefix + name, ...keysOf(field, `${prefix}${name}.`)]);
}

const isInert = (key: string) =>
  keysOfOthers.includes(key) || Object.keys(inertKeys).some((inert) => key === inert || key.startsWith(`${inert}.`));
const honored = keysOf(graphConfigSchema).filter((key) => !isInert(key));

test("every key of the platform's tools has an effect, or a reason why it has none", () => {
  const [inert, effective] = [keys.filter(([, shownBy]) => shownBy === null), keys.filter(([, shownBy]) => shownBy)];
  expect(inert.map(([key]) => key).filter((key) => !isInert(key))).toEqual([]);
  expect(effective.map(([key]) => key).filter((key) => !honored.includes(key))).toEqual([]);
});

test("every key with an effect or a reason is one of the platform's tools", () => {
  const listed = keys.map(([key]) => key);
  expect([...honored, ...Object.keys(inertKeys), ...keysOfOthers].filter((key) => !listed.includes(key))).toEqual([]);
});

test("every key with an effect is in the test that shows it", async () => {
  for (const [key, file] of keys) {
    if (file === null) continue;
    const name = key.split(".").at(-1) as string;
    const text = await readFile(new URL(`../../../../${file}`, import.meta.url), "utf8");
    // The policy of webhooks is tested by the names that it has in the code.
    const words = [name, name.replace(/_\w/g, (letter) => letter.slice(1).toUpperCase()), ...(aliases[name] ?? [])];
    expect([key, words.some((word) => text.includes(word))]).toEqual([key, true]);
  }
});

const aliases: Record<string, string[]> = {
  require_https: ["requiresHttps"],
  allowed_domains: ["domains"],
  allowed_ports: ["ports"],
  max_url_length: ["maxLength"],
  disable_private_ips: ["refusesPrivateAddresses"],
};
