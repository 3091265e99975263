/** A server's response as it came over the wire. */
export interface WireResponse {
  status: number;
  /** By lower-case name. */
  headers: Readonly<Record<string, string | undefined>>;
  text: string;
}

/**
 * The structure of a response as named facts: its status, its media type, which headers it has, the order of events in
 * a stream, and the type of every field of a body or an event: `body.thread_id` → `uuid`, `event values.messages[].id`
 * → `text?`. Facts contain no values.
 */
export type ResponseFacts = Record<string, string>;

const telling = ["content-location", "location", "x-pagination-total", "x-pagination-next", "www-authenticate"];
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;

/**
 * The facts of a response. A schema inside it is one fact, because its contents depend on how a compiler translates
 * types.
 */
export function factsOf({ status, headers, text }: WireResponse): ResponseFacts {
  const facts: ResponseFacts = { status: String(status) };
  const mediaType = headers["content-type"]?.split(";")[0];
  if (mediaType !== undefined && text !== "") facts.type = mediaType;
  for (const name of telling) if (headers[name] !== undefined) facts[name] = "there";
  if (mediaType === "text/event-stream") addEvents(facts, text);
  else if (text.trim() !== "") addBody(facts, text);
  return facts;
}

function addBody(facts: ResponseFacts, text: string): void {
  try {
    addTypes(facts, "body", [JSON.parse(text)]);
  } catch {
    facts.body = "no JSON";
  }
}

function addEvents(facts: ResponseFacts, text: string): void {
  const byName = new Map<string, unknown[]>();
  const order: string[] = [];
  let ids = 0;
  const frames = text.replaceAll("\r\n", "\n").split("\n\n");
  for (const frame of frames) {
    const field = (name: string) =>
      frame
        .split("\n")
        .filter((line) => line.startsWith(`${name}: `))
        .map((line) => line.slice(name.length + 2));
    const [event] = field("event");
    if (event === undefined) continue;
    const name = event.replace(uuid, "<uuid>");
    if (order.at(-1) !== name) order.push(name);
    byName.set(name, [...(byName.get(name) ?? []), JSON.parse(field("data").join("\n"))]);
    ids += field("id").length;
  }
  facts.events = order.join(" ");
  if (ids > 0) facts["event ids"] = "there";
  for (const [name, data] of byName) addTypes(facts, `event ${name}`, data);
}

const schemaField = /(_schema|\.(state|input|output|config))$/;

/** Adds the types of values at the same path. A `?` marks a field that only some of them have. */
function addTypes(facts: ResponseFacts, path: string, values: readonly unknown[]): void {
  const types = new Set(values.map(typeOf));
  facts[path] = [...types].sort().join("|");
  const lists = values.filter(Array.isArray);
  const items = lists.flat();
  if (items.length > 0) addTypes(facts, `${path}[]`, items);
  const objects = values.filter((value) => typeOf(value) === "object") as Record<string, unknown>[];
  if (objects.some((object) => "$schema" in object) || (schemaField.test(path) && objects.some((o) => "type" in o))) {
    return;
  }
  const byField = new Map<string, unknown[]>();
  for (const object of objects) {
    for (const [name, value] of Object.entries(object)) {
      const field = name.replace(uuid, "<uuid>");
      byField.set(field, [...(byField.get(field) ?? []), value]);
    }
  }
  for (const [field, found] of byField) {
    addTypes(facts, `${path}.${field}`, found);
    if (found.length < objects.length) facts[`${path}.${field}`] += "?";
  }
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  if (typeof value !== "string") return typeof value;
  if (/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(value)) return "uuid";
  return /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(value) ? "time" : "text";
}
