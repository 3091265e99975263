import { expect, test } from "vitest";
import { startConfigured } from "../../../kit/agent-server/compiled/configured-project.ts";

const files = {
  "counting.ts": `
    let count = 0;
    export const auth = {
      authenticate(request) {
        if (request.headers.get("x-user") === "nobody") throw { status: 401, detail: "refused " + ++count };
        return { identity: "call " + ++count };
      },
      on: { assistants: ({ user }) => { throw { status: 403, detail: user.identity }; } },
    };`,
};

test("with auth.cache a user is kept for the same headers, up to a time and a number", async () => {
  let now = 0;
  const cache = { cache_keys: ["X-User"], ttl_seconds: 10, max_size: 2 };
  const keys = { auth: { path: "./counting.ts:auth", cache } };
  await using agent = await startConfigured({ keys, files, project: { now: () => now } });
  const who = async (headers: Record<string, string>) =>
    (await agent.call("GET", "/assistants/agent", undefined, headers)).body.detail;
  expect(await who({ "x-user": "ada" })).toBe("call 1");
  expect(await who({ "x-user": "ada", "x-other": "1" })).toBe("call 1");
  expect(await who({ "x-user": "bob" })).toBe("call 2");
  now = 9_000;
  expect(await who({ "x-user": "ada" })).toBe("call 1");
  // A third user takes the place of the one that was away for longest.
  expect(await who({ "x-user": "cid" })).toBe("call 3");
  expect(await who({ "x-user": "ada" })).toBe("call 1");
  expect(await who({ "x-user": "bob" })).toBe("call 4");
  now = 30_000;
  expect(await who({ "x-user": "bob" })).toBe("call 5");
  // Neither requests without the headers nor refusals are kept.
  expect([await who({}), await who({})]).toEqual(["call 6", "call 7"]);
  const nobody = { "x-user": "nobody" };
  expect([await who(nobody), await who(nobody)]).toEqual(["refused 8", "refused 9"]);
});

test("with disable_studio_auth the developer interface's header doesn't make a user", async () => {
  const studio = { "x-auth-scheme": "langsmith" };
  for (const [disable_studio_auth, status] of [
    [false, 200],
    [true, 401],
  ] as const) {
    await using agent = await startConfigured({ keys: { auth: { path: "./auth.ts:auth", disable_studio_auth } } });
    expect((await agent.call("GET", "/assistants/agent", undefined, studio)).status).toBe(status);
  }
});

test("auth.openapi adds security to the OpenAPI document", async () => {
  const openapi = {
    securitySchemes: { OAuth2: { type: "oauth2", flows: {} }, Key: { type: "apiKey", in: "header", name: "X-Key" } },
    security: [{ OAuth2: ["all"] }],
    paths: { "/threads": { POST: [{ Key: [] }] }, "/ok": { GET: [{ Key: [] }] } },
  };
  await using agent = await startConfigured({ keys: { auth: { path: "./auth.ts:auth", openapi } } });
  const { body } = await agent.call("GET", "/openapi.json");
  expect(body.components.securitySchemes).toEqual(openapi.securitySchemes);
  expect(body.paths["/threads"].post.security).toEqual([{ Key: [] }]);
  expect(body.paths["/threads/search"].post.security).toEqual([{ OAuth2: ["all"] }]);
  expect(body.paths["/ok"].get.security).toEqual([{ Key: [] }]);
  expect(body.paths["/info"].get.security).toEqual([]);
});
