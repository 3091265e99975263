import { expect, test } from "vitest";
import { isRateLimit, RateLimitRetries } from "../../../action/github/rate-limit.ts";
import { FakeClock } from "../../kit/fake-clock.ts";

const failure = (status: number, headers: Record<string, string> = {}, message = "") =>
  Object.assign(new Error(message), { status, response: { headers } });

test.each([
  [failure(429), true],
  [failure(403, { "retry-after": "30" }), true],
  [failure(403, { "x-ratelimit-remaining": "0" }, "API rate limit exceeded"), true],
  [failure(403, {}, "You have exceeded a secondary rate limit."), true],
  [failure(403, { "x-ratelimit-remaining": "0" }, "Resource not accessible by integration"), false],
  [failure(403, { "x-ratelimit-remaining": "4999" }), false],
  [failure(404, { "retry-after": "30" }), false],
  [new Error("no connection"), false],
])("%s is a rate limit: %o", (error, expected) => {
  expect(isRateLimit(error)).toBe(expected);
});

test("a limited request is retried after the pause that GitHub named", async () => {
  const clock = new FakeClock();
  const resetAt = String(clock.now() / 1_000 + 40);
  const responses = [
    failure(403, { "retry-after": "7" }),
    failure(403, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": resetAt }),
  ];
  const retries = new RateLimitRetries(clock, undefined);
  const run = () => retries.run(async () => (responses.length > 0 ? Promise.reject(responses.shift()) : "answer"));
  expect(await run()).toBe("answer");
  expect(clock.sleeps).toEqual([7_000, 33_000]);
});

test("after a limit beyond the budget, nothing is sent until it ends", async () => {
  const clock = new FakeClock();
  const retries = new RateLimitRetries(clock, undefined);
  let sent = 0;
  const request = () =>
    retries.run(async () => {
      sent += 1;
      throw failure(429, { "retry-after": "3600" });
    });
  await expect(request()).rejects.toMatchObject({ status: 429 });
  await expect(request()).rejects.toMatchObject({ status: 429 });
  expect([sent, clock.sleeps]).toEqual([1, []]);
  clock.advance(3_600_000);
  await expect(request()).rejects.toMatchObject({ status: 429 });
  expect(sent).toBe(2);
});

test("all requests of a run together wait for two minutes at most", async () => {
  const clock = new FakeClock();
  const startedAt = clock.now();
  const retries = new RateLimitRetries(clock, undefined);
  for (let request = 0; request < 5; request += 1) {
    const limited = retries.run(() => Promise.reject(failure(429, { "retry-after": "50" })));
    await expect(limited).rejects.toMatchObject({ status: 429 });
  }
  expect(clock.now() - startedAt).toBe(100_000);
});

test("another failure, and any once the run is cancelled, is thrown at once", async () => {
  const clock = new FakeClock();
  const refused = new RateLimitRetries(clock, undefined).run(() => Promise.reject(failure(403)));
  await expect(refused).rejects.toMatchObject({ status: 403 });
  const cancelled = new RateLimitRetries(clock, AbortSignal.abort());
  await expect(cancelled.run(() => Promise.reject(failure(429)))).rejects.toMatchObject({ status: 429 });
  expect(clock.sleeps).toEqual([]);
});
