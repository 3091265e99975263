import { Hono } from "hono";

/** Takes part in no request of the benchmark. */
export const elsewhere = new Hono().get("/hello", (c) => c.text("hello"));

/** Wraps all requests. */
export const around = new Hono().use(async (c, next) => {
  await next();
  c.res.headers.set("x-wrapped", "yes");
});
