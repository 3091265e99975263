// Preloaded into the process of a bundle: host names that end in .test resolve to this machine.
import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";

const lookup = dns.lookup;

dns.lookup = ((host: string, ...rest: [dns.LookupOptions, () => void]) =>
  lookup(host.endsWith(".test") ? "127.0.0.1" : host, ...rest)) as typeof lookup;
syncBuiltinESMExports();
