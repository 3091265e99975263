import { request } from "node:http";
import { expect, test } from "vitest";
import { startForTest } from "../../kit/mock-server/api.ts";

/** The status of a request with headers that fetch doesn't allow. */
function statusWith(url: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { method: "POST", headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on("error", reject)
      .end();
  });
}

test("a public name that begins like a loopback address isn't a loopback name", async () => {
  await using mock = await startForTest();
  const url = `${mock.url}/_mock/reset?confirm=true`;
  expect(await statusWith(url, { host: "127.page.example:8124" })).toBe(403);
  expect(await statusWith(url, { host: "127.0.0.1.page.example" })).toBe(403);
  expect(await statusWith(url, { origin: "http://127.page.example" })).toBe(403);
  expect(await statusWith(url, { host: "127.0.0.2:8124", origin: "http://127.1:3000" })).toBe(200);
});
