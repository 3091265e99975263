import { readFile } from "node:fs/promises";
import type { Properties } from "../pulumi/dynamic-process.ts";
import type { ProviderCall } from "../pulumi/engine/provider-calls.ts";

interface LoggedCall {
  readonly method: string;
  readonly progress: string;
  readonly request: { readonly [field: string]: unknown } | null;
}

/** The names of each call's old and new values. */
const fields: Readonly<Record<ProviderCall["method"], { readonly olds?: string; readonly news?: string }>> = {
  Check: { olds: "olds", news: "news" },
  Diff: { olds: "olds", news: "news" },
  Create: { news: "properties" },
  Read: { olds: "properties", news: "inputs" },
  Update: { olds: "olds", news: "news" },
  Delete: { olds: "properties" },
};

/**
 * The calls about resources that the real engine recorded (`PULUMI_DEBUG_GRPC`), in the order in which they started.
 */
export async function readCalls(file: string): Promise<ProviderCall[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as LoggedCall)
    .filter(({ progress }) => progress === "request_started")
    .flatMap(callOf);
}

function callOf({ method: path, request }: LoggedCall): ProviderCall[] {
  const method = path.split("/").at(-1) as ProviderCall["method"];
  const urn = String(request?.urn ?? "");
  const names = fields[method];
  if (!path.includes("ResourceProvider/") || names === undefined || urn.includes("::pulumi:providers:")) return [];
  const values = (name: string | undefined) =>
    name === undefined ? undefined : ((request?.[name] ?? {}) as Properties);
  const [olds, news, id] = [values(names.olds), values(names.news), request?.id];
  return [
    {
      method,
      urn,
      ...(typeof id === "string" && id !== "" ? { id } : {}),
      ...(olds === undefined ? {} : { olds }),
      ...(news === undefined ? {} : { news }),
    },
  ];
}

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** The placeholder of a value that isn't known yet. */
const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Matches a generation in an ownership marker or the state. */
const generation = /(?<="generation":"|#g-)[0-9a-f]{12}(?=")/g;

/**
 * Calls without the parts that differ between two equal runs. Ids and generations are numbered in order; times and
 * ports are left out. The calls are sorted by resource, because the engine processes registrations of independent
 * resources in any order. They are followed by the order of all calls that change or read something.
 */
export function comparable(calls: readonly ProviderCall[]): unknown[] {
  const numbers = new Map<string, string>([[unknownValue, "<unknown>"]]);
  const generations = new Map<string, string>();
  const text = JSON.stringify(inStableOrder(calls), sortedKeys)
    .replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)"/g, '"<time>"')
    .replaceAll(/127\.0\.0\.1:\d+/g, "<host>")
    .replaceAll(generation, (random) => {
      const number = generations.get(random) ?? `<generation ${generations.size}>`;
      generations.set(random, number);
      return number;
    })
    .replaceAll(uuid, (id) => {
      const number = numbers.get(id) ?? `<id ${numbers.size}>`;
      numbers.set(id, number);
      return number;
    });
  return JSON.parse(text);
}

/** All calls by resource, then the order of those that aren't a check or a diff. */
function inStableOrder(calls: readonly ProviderCall[]): unknown[] {
  const byResource = calls.toSorted((one, other) => (one.urn < other.urn ? -1 : one.urn > other.urn ? 1 : 0));
  const others = calls.filter(({ method }) => method !== "Check" && method !== "Diff");
  return [...byResource, ...others.map(({ method, urn }) => `${method} ${urn}`)];
}

function sortedKeys(_name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
