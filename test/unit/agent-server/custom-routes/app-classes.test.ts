import { expect, test } from "vitest";
import { startConfigured } from "../../../kit/agent-server/compiled/configured-project.ts";

const files = {
  "classes.ts": `
    import { Hono } from "hono";
    class Service extends Hono {
      constructor(settings) {
        super({ strict: false });
        const { name } = settings.service;
        this.get("/name", (c) => c.json({ name, user: c.get("auth")?.user.identity ?? null }));
      }
    }
    class Named extends Service {}
    export const app = new Named({ service: { name: "mine" } });`,
};

test("an app of a subclass of Hono is served, whatever its constructor needs", async () => {
  const http = { app: "./classes.ts:app", enable_custom_route_auth: true };
  await using agent = await startConfigured({ keys: { auth: { path: "./auth.ts:auth" }, http }, files });
  for (const path of ["/name", "/name/"]) {
    const { body } = await agent.call("GET", path, undefined, { "x-user": "ada" });
    expect(body).toEqual({ name: "mine", user: "ada" });
  }
});
