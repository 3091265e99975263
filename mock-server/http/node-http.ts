/**
 * Node's own HTTP. An import of it as an ES module reads every name that it exports, and one of them loads all of Node's `fetch`: ten times the time
 * and the memory of what a server needs.
 */
export const { createServer, validateHeaderName, validateHeaderValue } = process.getBuiltinModule("node:http");
