import { type MockServer, type MockServerOptions, startMockServer } from "./server.ts";

/**
 * A fixture for `test.extend` of vitest and Playwright: a new server for each test that uses it.
 * `const test = base.extend({ mock: mockServerFixture({ transitions: "immediate" }) })`. `port` defaults to a free one.
 */
export function mockServerFixture(options: MockServerOptions = {}) {
  // biome-ignore lint/correctness/noEmptyPattern: the test runners read from the source text that the fixture needs no other
  return async ({}: object, use: (mock: MockServer) => Promise<void>): Promise<void> => {
    await using mock = await startMockServer({ port: 0, ...options });
    await use(mock);
  };
}
