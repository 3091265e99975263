// Which folder may import which: `npm run check` compares the sources with this. Types count as well as values.

/** Of the client, what says how the wire looks and how users write settings; the rest sends requests. */
const sharedCore = "^core/(client/(wire/|errors[.]ts$)|(malformed-text|names|redact|time|unclosed)[.]ts$)";

/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: [
    {
      name: "core-stands-alone",
      comment: "The client and the reconciler know no door to them.",
      severity: "error",
      from: { path: "^core/" },
      to: { path: "^(provider|action|cli|mock-server)/|node_modules/@(pulumi|actions)/" },
    },
    {
      name: "core-in-layers",
      comment: "Requests know nothing of declarations and rollouts; reconciling stands on all of them.",
      severity: "error",
      from: { path: "^core/(client|declare|rollout)/" },
      to: { path: "^core/(declare|rollout|reconcile)/", pathNot: "^core/$1/" },
    },
    {
      name: "doors-know-the-core-only",
      comment: "Each door to the core is used without the others.",
      severity: "error",
      from: { path: "^(provider|action)/" },
      to: { path: "^(provider|action|cli|mock-server)/", pathNot: "^$1/" },
    },
    {
      name: "cli-starts-core-and-mock-server",
      severity: "error",
      from: { path: "^cli/" },
      to: { path: "^(provider|action)/" },
    },
    {
      name: "mock-server-sends-no-requests-of-the-client",
      comment:
        "It shares schemas, names and durations with the client: a server that used the client's requests would hide their mistakes.",
      severity: "error",
      from: { path: "^mock-server/" },
      to: { path: "^(core|provider|action|cli)/", pathNot: sharedCore },
    },
    {
      name: "shipped-without-scripts",
      comment: "What ships imports nothing that doesn't.",
      severity: "error",
      from: { path: "^(core|provider|action|cli|mock-server)/" },
      to: { path: "^(scripts|test|bench|examples)/" },
    },
    {
      name: "no-circles",
      severity: "error",
      from: { path: "^(core|provider|action|cli|mock-server)/" },
      to: { circular: true },
    },
    {
      name: "kit-knows-no-product",
      comment: "Both servers stand on the kit; of the core it uses durations, redaction and the nearest name.",
      severity: "error",
      from: { path: "^mock-server/kit/" },
      to: { path: "^(core|mock-server)/", pathNot: "^mock-server/kit/|^core/(names|redact|time)[.]ts$" },
    },
    {
      name: "products-stand-on-the-kit",
      comment: "The control plane and the agent servers know neither each other nor what composes them.",
      severity: "error",
      from: { path: "^mock-server/(control-plane|agent-server)/" },
      to: { path: "^mock-server/", pathNot: "^mock-server/(kit|$1)/" },
    },
    {
      name: "worker-implements-the-engine",
      comment:
        "Of the agent server, workers know what they implement: graphs and their events, auth handlers, a project to serve and its settings.",
      severity: "error",
      from: { path: "^mock-server/worker/" },
      to: {
        path: "^mock-server/",
        pathNot:
          "^mock-server/((worker|kit)/|agent-server/(engine/(contract|protocol-stream|shown-configurable|stream-mode)|auth/auth-(handlers|user)|served-project|project-settings)[.]ts$)",
      },
    },
    {
      name: "worker-sides-meet-in-the-protocol",
      comment: "What runs in the worker and its supervisor share the protocol only.",
      severity: "error",
      from: { path: "^mock-server/worker/(inside|host)/" },
      to: { path: "^mock-server/worker/(inside|host)/", pathNot: "^mock-server/worker/$1/" },
    },
    {
      name: "graphs-know-the-scripted-engine",
      severity: "error",
      from: { path: "^mock-server/graphs/" },
      to: { path: "^mock-server/", pathNot: "^mock-server/(graphs|kit|agent-server/engine|worker/load)/" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
  },
};
