import { isDeepStrictEqual } from "node:util";
import type { Cron } from "../client/wire/agent-server.ts";

/** Fields of an assistant or a cron, under the names of the wire. */
export type Fields = Readonly<Record<string, unknown>>;

/** The entry of the metadata that an assistant or a cron has its key in. */
const keyEntry = "graphdeploy_key";

/**
 * The metadata by which what a file made is found: all of it, or that of one key. It names no file: who owns a deployment
 * owns what files made on its agent server.
 */
export function contentMarker(key?: string): Fields {
  return { graphdeploy_managed_by: "file", ...(key === undefined ? {} : { [keyEntry]: key }) };
}

/** Whether a file made what has this metadata. */
export function isMarked(metadata: Fields | null | undefined): boolean {
  return containsEntries(metadata ?? {}, contentMarker());
}

/** The key in the file of what has this metadata. */
export function markedKey(metadata: Fields | null | undefined): string {
  return String(metadata?.[keyEntry]);
}

/**
 * The names of the declared fields that the server doesn't have so. Fields that aren't declared are never compared, nor is
 * metadata beside what is declared.
 */
export function differingFields(declared: Fields, observed: Fields): string[] {
  return Object.keys(declared).filter((name) => !isSame(name, declared, observed));
}

function isSame(name: string, declared: Fields, observed: Fields): boolean {
  const [wanted, found] = [declared[name], observed[name]];
  if (name === "metadata") return containsEntries(fieldsOf(found), fieldsOf(wanted));
  if (name === "config") return isSameConfig(fieldsOf(wanted), fieldsOf(found), observed.context);
  if (name === "end_time") return Date.parse(String(wanted)) === Date.parse(String(found));
  // One mode may be written, and returned, with or without a list around it.
  if (name === "stream_mode") return isDeepStrictEqual([wanted].flat(), [found].flat());
  return isDeepStrictEqual(wanted, found);
}

function containsEntries(fields: Fields, entries: Fields): boolean {
  return Object.entries(entries).every(([name, value]) => isDeepStrictEqual(fields[name], value));
}

/**
 * Compares configs without what agent servers add to `configurable`: the id of the cron, and a copy of the context where
 * no `configurable` was declared.
 */
function isSameConfig(declared: Fields, observed: Fields, observedContext: unknown): boolean {
  const { configurable: wanted = {}, ...declaredRest } = declared;
  const { configurable, ...observedRest } = observed;
  const { cron_id: _, ...found } = fieldsOf(configurable);
  const isCopy = Object.keys(fieldsOf(wanted)).length === 0 && isDeepStrictEqual(found, observedContext);
  return isDeepStrictEqual(declaredRest, observedRest) && isDeepStrictEqual(wanted, isCopy ? {} : found);
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

/** The fields of a cron as they are declared: those of its runs, which the server has in `payload`, beside its own. */
export function fieldsOfCron({ payload, ...cron }: Cron): Fields {
  const own = Object.entries(cron).filter(([, value]) => value !== undefined && value !== null);
  return { ...payload, ...Object.fromEntries(own) };
}

/**
 * The fields to send so that `fields` become as they are declared. Servers derive `config` and `context` from each other
 * and replace both, so they are sent together.
 */
export function patchOf(declared: Fields, fields: readonly string[]): Fields {
  const isTogether = (name: string) => name === "config" || name === "context";
  const names = Object.keys(declared).filter(
    (name) => fields.includes(name) || (isTogether(name) && fields.some(isTogether)),
  );
  return Object.fromEntries(names.map((name) => [name, declared[name]]));
}
