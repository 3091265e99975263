import fc from "fast-check";
import { Hono } from "hono";
import { expect, test } from "vitest";
import { appRoutes } from "../../../../mock-server/worker/host/app-routes.ts";
import { PassingHono } from "../../../../mock-server/worker/inside/hono-app.ts";

const literal = fc.constantFrom("threads", "runs", "a", "b", "a-b", "é", "a b", "x.json", "%2F", "0");
const segment = fc.oneof(
  { weight: 4, arbitrary: literal },
  { weight: 2, arbitrary: fc.constantFrom(":id", ":name", ":id{[0-9]+}", ":file{.+\\.json}") },
  { weight: 1, arbitrary: fc.constant("*") },
);
const pattern = fc
  .tuple(fc.array(segment, { maxLength: 4 }), fc.constantFrom("", "", "", "/", "/*", "/:part?"))
  .map(([segments, end]) => `/${segments.join("/")}${end}`.replace(/^\/\//, "/"));
const method = fc.constantFrom("GET", "POST", "DELETE", "ALL", "MIDDLEWARE");
const routes = fc.array(fc.tuple(method, pattern), { minLength: 1, maxLength: 6 });
const request = fc.tuple(
  fc.constantFrom("GET", "HEAD", "POST", "DELETE", "OPTIONS"),
  fc
    .tuple(
      fc.array(fc.oneof(literal, fc.constantFrom("7", "", "%41", "%", "ü")), { maxLength: 5 }),
      fc.constantFrom("", "/", "?q=/a"),
    )
    .map(([segments, end]) => `/${segments.join("/")}${end}`),
);

/** An app with routes, and whether one of them is called for a request. */
function appOf(routes: [string, string][], isStrict: boolean) {
  const app = new Hono({ strict: isStrict });
  let isCalled = false;
  for (const [method, path] of routes) {
    if (method === "MIDDLEWARE") {
      app.use(path, async (_, next) => {
        isCalled = true;
        await next();
      });
    } else {
      app.on(method, path, (c) => {
        isCalled = true;
        return c.text("here");
      });
    }
  }
  const passing = new PassingHono(app);
  const next = async () => new Response(null, { status: 404 });
  const takesPart = async (method: string, url: string) => {
    isCalled = false;
    await app.fetch(new Request(url, { method }));
    const isCalledByApp = isCalled;
    isCalled = false;
    await passing.fetch(new Request(url, { method }), { user: null, next });
    return { app: isCalledByApp, passing: isCalled };
  };
  return { passing, takesPart };
}

test("exactly the requests that Hono would handle or wrap are passed to an app of Hono", async () => {
  const property = fc.asyncProperty(
    routes,
    fc.array(request, { minLength: 5, maxLength: 20 }),
    fc.boolean(),
    async (routes, requests, isStrict) => {
      const { passing, takesPart } = appOf(routes, isStrict);
      const findRole = await appRoutes(passing.table, () => false);
      for (const [method, path] of requests) {
        const { href } = new URL(`http://host${path}`);
        const isPassed = findRole(method, href) !== "none";
        const parts = await takesPart(method, href);
        expect({ method, href, ...parts }).toEqual({ method, href, app: isPassed, passing: isPassed });
      }
    },
  );
  await fc.assert(property, { numRuns: 1000 });
});

test("an app whose routes pass requests on is middleware, and one whose routes don't is not", async () => {
  const app = new Hono();
  app.use("/wrapped/*", (_, next) => next());
  app.get("/wrapped/own", (c) => c.text("own"));
  app.all("/everything", (c) => c.text("own"));
  const findRole = await appRoutes(new PassingHono(app).table, () => false);
  const roleOf = (method: string, path: string) => findRole(method, `http://host${path}`);
  expect(roleOf("GET", "/wrapped/a")).toBe("middleware");
  expect(roleOf("GET", "/wrapped/own")).toBe("route");
  expect(roleOf("POST", "/wrapped/own")).toBe("middleware");
  expect(roleOf("DELETE", "/everything")).toBe("route");
  expect(roleOf("GET", "/elsewhere")).toBe("none");
});

test("an app with error handlers of its parts keeps the roles of their routes", async () => {
  const part = new Hono();
  part.onError((_, c) => c.text("caught"));
  part.use((_, next) => next());
  part.get("/own", (c) => c.text("own"));
  const app = new Hono().route("/part", part);
  const findRole = await appRoutes(new PassingHono(app).table, () => false);
  expect(findRole("GET", "http://host/part/own")).toBe("route");
  expect(findRole("GET", "http://host/part/other")).toBe("middleware");
});

test("an app that reads paths in its own way may take part in every request", async () => {
  const app = new Hono({ getPath: ({ url }) => url.replace(/^https?:\//, "") });
  app.get("/a.example/hello", (c) => c.text("hello"));
  const passing = new PassingHono(app);
  const findRole = await appRoutes(passing.table, () => false);
  expect(findRole("GET", "http://b.example/threads")).toBe("middleware");
  const call = { user: null, next: async () => new Response("the server's") };
  const textOf = async (url: string) => (await passing.fetch(new Request(url), call)).text();
  expect(await textOf("http://a.example/hello")).toBe("hello");
  expect(await textOf("http://b.example/hello")).toBe("the server's");
});

test("an app without a table takes part where the server has no routes", async () => {
  const findRole = await appRoutes({ routes: null, isStrict: true }, (path) => path.startsWith("/threads"));
  expect(findRole("POST", "http://host/threads?a=1")).toBe("none");
  expect(findRole("POST", "http://host/hello")).toBe("route");
});
