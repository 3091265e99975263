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
    app.get("/sized", (c) => c.body("twelve bytes", 200, { "content-length": "12" }));
    app.get("/unsized", (c) => c.text("some bytes"));`,
};

test("what the app's responses vary by is kept beside the origin", async () => {
  const cors = { allow_origins: ["https://a.example"] };
  await using agent = await startConfigured({ keys: { http: { app: "./headers.ts:app", cors } }, files });
  const response = await fetch(`${agent.url}/info`);
  expect(response.headers.get("vary")).toBe("Accept-Encoding, Origin");
});

test("the length of a response to HEAD is the app's, or none", async () => {
  await using agent = await startConfigured({ keys: { http: { app: "./headers.ts:app" } }, files });
  const lengthOf = async (path: string) =>
    (await fetch(agent.url + path, { method: "HEAD" })).headers.get("content-length");
  expect([await lengthOf("/sized"), await lengthOf("/unsized")]).toEqual(["12", null]);
});
