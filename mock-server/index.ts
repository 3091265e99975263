/** The mock server as a library: `graphdeploy/mock-server`. */
export { type MockServer, type MockServerOptions, type RequestsFilter, startMockServer } from "./server.ts";
