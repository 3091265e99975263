import { startMockServer } from "../../../mock-server/server.ts";

/** A mock server for the benchmark; prints its port. */
const mock = await startMockServer({ port: 0, transitions: "immediate" });
process.stdout.write(`${new URL(mock.url).port}\n`);
