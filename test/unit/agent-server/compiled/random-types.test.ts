import { mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { readTypes } from "../../../../mock-server/worker/types/read-types.ts";

/** A type, with values of it, and with values that aren't of it, where such are known. */
interface SampledType {
  text: string;
  values: fc.Arbitrary<unknown>;
  others: fc.Arbitrary<unknown>[];
}

const sampled = (text: string, values: fc.Arbitrary<unknown>, ...others: unknown[]): SampledType => ({
  text,
  values,
  others: [fc.constantFrom(...others)],
});
const primitives = [
  sampled("string", fc.string(), 1, null, true, [], {}),
  sampled("number", fc.double({ noNaN: true, noDefaultInfinity: true }), "1", null, [], {}),
  sampled("boolean", fc.boolean(), 0, "true", null, []),
  sampled("(string & { readonly brand: 1 })", fc.string(), 1, null),
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a template literal type
  sampled("`id-${number}`", fc.constant("id-1"), 1, null),
  sampled('("a" | "b" | 3 | null)', fc.constantFrom("a", "b", 3, null), "c", 4, true, {}),
  sampled('"x"', fc.constant("x"), "y", 1, null),
  sampled("-5", fc.constant(-5), 5, "x", null),
  sampled("true", fc.constant(true), false, 1, "true"),
  sampled("null", fc.constant(null), 0, "", {}, []),
  sampled("Date", fc.constant("2026-01-01T00:00:00.000Z"), 1, null, {}),
];

type Field = [name: string, type: SampledType, isOptional: boolean];

function objectOf(fields: readonly Field[]): SampledType {
  const values = Object.fromEntries(fields.map(([name, type]) => [name, type.values]));
  return {
    text: `{ ${fields.map(([name, { text }, isOptional]) => `${name}${isOptional ? "?" : ""}: ${text}`).join("; ")} }`,
    values: fc.record(values, { requiredKeys: fields.flatMap(([name, , isOptional]) => (isOptional ? [] : [name])) }),
    others: [
      fc.constantFrom(1, "x", null, []),
      ...fields.flatMap(([name, { others }, isOptional]) => [
        ...others.map((other) => fc.record({ ...values, [name]: other })),
        ...(isOptional ? [] : [fc.record(values).map((value) => ({ ...value, [name]: undefined }))]),
      ]),
    ],
  };
}

function arrayOf({ text, values, others }: SampledType, modifier: string): SampledType {
  return {
    text: `(${modifier}(${text})[])`,
    values: fc.array(values, { maxLength: 3 }),
    others: [fc.constantFrom(1, null, {}), ...others.map((other) => fc.tuple(other))],
  };
}

function tupleOf(first: SampledType, second: SampledType, hasRest: boolean): SampledType {
  const others = fc.array(second.values, { maxLength: hasRest ? 3 : 1 });
  return {
    text: hasRest ? `[${first.text}, ...(${second.text})[]]` : `[${first.text}, (${second.text})?]`,
    values: fc.tuple(first.values, others).map(([one, more]) => [one, ...more]),
    others: [
      fc.constantFrom<unknown>(1, null, {}, []),
      ...first.others.map((other) => fc.tuple(other)),
      ...second.others.map((other) => fc.tuple(first.values, other)),
    ],
  };
}

const { type } = fc.letrec<{ type: SampledType; object: SampledType }>((tie) => ({
  object: fc
    .uniqueArray(fc.tuple(fc.constantFrom("a", "b", "c"), tie("type"), fc.boolean()), {
      selector: ([name]) => name,
      minLength: 1,
    })
    .map((fields) => objectOf(fields)),
  type: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(...primitives),
    tie("object"),
    fc.tuple(tie("type"), fc.constantFrom("", "readonly ")).map(([item, modifier]) => arrayOf(item, modifier)),
    fc.tuple(tie("type"), tie("type"), fc.boolean()).map(([one, two, hasRest]) => tupleOf(one, two, hasRest)),
    tie("type").map(({ text, values, others }) => ({
      text: `Record<string, ${text}>`,
      values: fc.dictionary(fc.constantFrom("p", "q"), values),
      others: [fc.constantFrom<unknown>(1, "x", null, []), ...others.map((other) => fc.record({ key: other }))],
    })),
    tie("object").map(({ text, values, others }) => ({
      text: `(${text} & { also: "z" })`,
      values: values.map((value) => ({ ...(value as object), also: "z" })),
      others: [values, ...others],
    })),
    fc.tuple(tie("type"), tie("type")).map(([one, two]) => ({
      text: `(${one.text} | ${two.text})`,
      values: fc.oneof(one.values, two.values),
      // What isn't of one may be of the other.
      others: [],
    })),
  ),
}));

/** The JSON Schemas of types, which are the fields of one state. */
async function schemasOf(texts: readonly string[]): Promise<z.core.JSONSchema.JSONSchema[]> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "types-")));
  try {
    const packages = fileURLToPath(new URL("../../../../node_modules", import.meta.url));
    await symlink(packages, join(folder, "node_modules"), "dir");
    const module = join(folder, "graph.ts");
    const fields = texts.map((text, index) => `  f${index}: Annotation<${text}>,\n`).join("");
    await writeFile(
      module,
      `import { Annotation, StateGraph } from "@langchain/langgraph";
export const graph = new StateGraph(Annotation.Root({\n${fields}})).compile();\n`,
    );
    const found = readTypes({ folder, graphs: [{ id: "graph", module, exportName: "graph", description: null }] });
    return Object.values(found.graphs.graph?.state?.properties ?? {});
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test("the schemas of random types accept their values and no others", async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const types = fc.sample(type, { seed, numRuns: 200 });
  const schemas = await schemasOf(types.map(({ text }) => text));
  expect(schemas).toHaveLength(types.length);
  for (const [index, { text, values, others }] of types.entries()) {
    const schema = schemas[index] as z.core.JSONSchema.JSONSchema;
    const validator = z.fromJSONSchema(schema);
    const accepts = (value: unknown) => validator.safeParse(JSON.parse(JSON.stringify(value))).success;
    const place = `seed ${seed}, ${text}: ${JSON.stringify(schema)} with `;
    for (const value of fc.sample(values, { seed, numRuns: 5 })) {
      expect(accepts(value), place + JSON.stringify(value)).toBe(true);
    }
    for (const value of others.flatMap((other) => fc.sample(other, { seed, numRuns: 2 }))) {
      expect(accepts(value), place + JSON.stringify(value)).toBe(false);
    }
  }
});
