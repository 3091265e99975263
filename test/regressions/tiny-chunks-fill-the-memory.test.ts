import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { HeaderFields } from "../../mock-server/http/header-fields.ts";
import { RequestBody } from "../../mock-server/http/request-body.ts";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

function bytesInUse(): number {
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const flow = { pause: () => undefined, resume: () => undefined, wanted: () => undefined };

test.each([
  ["chunks", "transfer-encoding: chunked\r\n", "1\r\na\r\n"],
  ["packets", "content-length: 200001\r\n", "a"],
])("a body takes about as much memory as it has bytes, however small its %s are", async (_, headers, piece) => {
  const body = new RequestBody(new HeaderFields(headers), flow);
  const before = bytesInUse();
  for (let count = 0; count < 200_000; count++) body.take(Buffer.from(piece), 0);
  expect(bytesInUse() - before).toBeLessThan(3_000_000);
  const whole = body.read(1_000_000, "Too large.");
  body.take(Buffer.from(headers.startsWith("t") ? "1\r\nb\r\n0\r\n\r\n" : "b"), 0);
  expect((await whole).toString()).toBe(`${"a".repeat(200_000)}b`);
});
