import { expect, test } from "vitest";
import { startConfigured } from "../../../kit/agent-server/compiled/configured-project.ts";

/** The CORS headers of a response to a page, without their common prefix. */
async function corsOf(cors: object | undefined, origin: string, isPreflight = false): Promise<Record<string, string>> {
  await using agent = await startConfigured({ keys: { http: { cors } } });
  const response = await fetch(`${agent.url}/assistants/agent`, {
    method: isPreflight ? "OPTIONS" : "GET",
    headers: { origin, ...(isPreflight ? { "access-control-request-method": "PUT" } : {}) },
  });
  const entries = [...response.headers].filter(([name]) => name.startsWith("access-control-"));
  return Object.fromEntries(entries.map(([name, value]) => [name.slice("access-control-".length), value]));
}

const ours = "https://a.example";

test("pages of the origins in allow_origins may read responses, and only they", async () => {
  expect(await corsOf({ allow_origins: [ours] }, ours)).toMatchObject({ "allow-origin": ours });
  expect(await corsOf({ allow_origins: [ours] }, "https://b.example")).toEqual({});
  expect(await corsOf(undefined, "https://b.example")).toMatchObject({ "allow-origin": "*" });
});

test("allow_origin_regex matches whole origins", async () => {
  const cors = { allow_origin_regex: "https://\\w+\\.example" };
  expect(await corsOf(cors, ours)).toMatchObject({ "allow-origin": ours });
  expect(await corsOf(cors, "https://a.example.org")).toEqual({});
});

test("allow_methods, allow_headers and max_age are in the response to a preflight request", async () => {
  const cors = { allow_origins: [ours], allow_methods: ["GET", "PUT"], allow_headers: ["x-a"], max_age: 7 };
  expect(await corsOf(cors, ours, true)).toEqual({
    "allow-origin": ours,
    "allow-methods": "GET, PUT",
    "allow-headers": "x-a",
    "max-age": "7",
    "expose-headers": expect.any(String),
  });
});

test("allow_credentials names the origin, and expose_headers adds to the server's", async () => {
  const cors = { allow_origins: ["*"], allow_credentials: true, expose_headers: ["x-mine"] };
  expect(await corsOf(cors, ours)).toEqual({
    "allow-origin": ours,
    "allow-credentials": "true",
    "expose-headers": expect.stringMatching(/^content-location, location, .*, x-mine$/),
  });
});
