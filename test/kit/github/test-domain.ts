// Loaded before a bundle that runs as a process of its own: host names that end in .test are this machine.
import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";

const lookup = dns.lookup;

dns.lookup = ((host: string, ...rest: [dns.LookupOptions, () => void]) =>
  lookup(host.endsWith(".test") ? "127.0.0.1" : host, ...rest)) as typeof lookup;
syncBuiltinESMExports();
