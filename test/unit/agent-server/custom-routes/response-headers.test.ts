import { expect, test } from "vitest";
import { startConfigured } from "../../../kit/agent-server/compiled/configured-project.ts";

const files = {
  "headers.ts": `
    import { Hono } from "hono";
    export const app = new Hono();
    app.use("/info", async (c, next) => {
      await next();
      c.res.headers.set("vary", "Accept-Encoding");
    });
    app.use(async (c, next) => {
      c.header("x-before", "1");
      c.header("content-type", "text/of-the-app");
      await next();
    });
    app.get("/sized", (c) => c.body("twelve bytes", 200, { "content-length": "12" }));
    app.get("/unsized", (c) => c.text("some bytes"));`,
};

test("what the app's responses vary by is kept beside the origin", async () => {
  const cors = { allow_origins: ["https://a.example"] };
  await using agent = await startConfigured({ keys: { http: { app: "./headers.ts:app", cors } }, files });
  const response = await fetch(`${agent.url}/info`);
  expect(response.headers.get("vary")).toBe("Accept-Encoding, Origin");
});

test("a header that middleware sets before the server responds is in the response, unless the server sets it", async () => {
  await using agent = await startConfigured({ keys: { http: { app: "./headers.ts:app" } }, files });
  for (const path of ["/ok", "/nowhere"]) {
    const { headers } = await fetch(agent.url + path);
    expect([headers.get("x-before"), headers.get("content-type")]).toEqual(["1", "application/json"]);
    // The body hasn't passed through the app.
    expect(headers.has("content-length")).toBe(true);
  }
});

test("the length of a response to HEAD is the app's, or none", async () => {
  await using agent = await startConfigured({ keys: { http: { app: "./headers.ts:app" } }, files });
  const lengthOf = async (path: string) =>
    (await fetch(agent.url + path, { method: "HEAD" })).headers.get("content-length");
  expect([await lengthOf("/sized"), await lengthOf("/unsized")]).toEqual(["12", null]);
});
