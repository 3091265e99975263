// A language host for Pulumi programs in Node.js, which the CLI starts to run a program. Pulumi ships one only in its
// release archives, so where the CLI was built from source, the end-to-end tests put this one on PATH
// (docs/decisions/0003-language-host-shim.md). It is thin on purpose: the SDK's own `@pulumi/pulumi/cmd/run` runs the
// program, over the SDK's own protocol stubs.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(import.meta.url);
const grpc = require("@grpc/grpc-js");
const { Empty } = require("google-protobuf/google/protobuf/empty_pb");
const { LanguageRuntimeService } = require("@pulumi/pulumi/proto/language_grpc_pb");
const messages = require("@pulumi/pulumi/proto/language_pb");
const { PluginInfo } = require("@pulumi/pulumi/proto/plugin_pb");
const { version } = require("@pulumi/pulumi/package.json");

/** The exit code of `cmd/run` after it has reported the error itself, so that the engine adds nothing. */
const exitedAfterLogging = 32;

// The engine's own address is the last argument, after any tracing flags.
const engineAddress = process.argv.at(-1) ?? "";

/** @type {Set<import("node:child_process").ChildProcess>} */
const programs = new Set();

/** @param {any} request a RunRequest */
function runArguments(request) {
  const flags = {
    monitor: request.getMonitorAddress(),
    engine: engineAddress,
    organization: request.getOrganization(),
    project: request.getProject(),
    "root-directory": request.getInfo().getRootDirectory(),
    stack: request.getStack(),
    pwd: request.getPwd(),
    parallel: String(request.getParallel()),
  };
  const given = Object.entries(flags).filter(([, value]) => value !== "");
  return [
    ...given.flatMap(([name, value]) => [`--${name}`, value]),
    ...(request.getDryrun() ? ["--dry-run"] : []),
    request.getInfo().getEntryPoint() || ".",
    ...request.getArgsList(),
  ];
}

/** @param {any} request a RunRequest */
function runEnvironment(request) {
  const options = request.getInfo().getOptions()?.toJavaScript() ?? {};
  return {
    ...process.env,
    PULUMI_CONFIG: JSON.stringify(Object.fromEntries(request.getConfigMap().entries())),
    PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(request.getConfigsecretkeysList()),
    PULUMI_NODEJS_TYPESCRIPT: String(options.typescript ?? true),
    ...(options.tsconfig === undefined ? {} : { PULUMI_NODEJS_TSCONFIG_PATH: options.tsconfig }),
  };
}

/** @param {any} call */
async function run({ request }) {
  const directory = request.getInfo().getProgramDirectory();
  const runner = createRequire(join(directory, "package.json")).resolve("@pulumi/pulumi/cmd/run");
  const response = new messages.RunResponse();
  const child = spawn(process.execPath, [runner, ...runArguments(request)], {
    cwd: request.getPwd() || directory,
    env: runEnvironment(request),
    stdio: ["ignore", "inherit", "inherit"],
  });
  programs.add(child);
  const [status, signal] = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (...ended) => resolve(ended));
  });
  programs.delete(child);
  if (status === exitedAfterLogging) response.setBail(true);
  else if (status !== 0) response.setError(`Program exited with ${signal ?? `code ${status}`}`);
  return response;
}

/** @param {any} call */
function dependencies({ request }) {
  const response = new messages.GetProgramDependenciesResponse();
  const manifest = JSON.parse(readFileSync(join(request.getInfo().getProgramDirectory(), "package.json"), "utf8"));
  response.setDependenciesList(
    Object.entries(manifest.dependencies ?? {}).map(([name, range]) => {
      const dependency = new messages.DependencyInfo();
      dependency.setName(name);
      dependency.setVersion(String(range));
      return dependency;
    }),
  );
  return response;
}

function stopPrograms() {
  for (const child of programs) child.kill();
}

/** @type {Record<string, (call: any) => any>} */
const methods = {
  handshake: () => new messages.LanguageHandshakeResponse(),
  getPluginInfo: () => {
    const response = new PluginInfo();
    response.setVersion(version);
    return response;
  },
  // Dynamic providers need no plugin beyond the one that ships in the SDK.
  getRequiredPlugins: () => new messages.GetRequiredPluginsResponse(),
  getRequiredPackages: () => new messages.GetRequiredPackagesResponse(),
  getProgramDependencies: dependencies,
  runtimeOptionsPrompts: () => new messages.RuntimeOptionsResponse(),
  about: () => {
    const response = new messages.AboutResponse();
    response.setExecutable(process.execPath);
    response.setVersion(process.version);
    return response;
  },
  run,
  cancel: () => {
    stopPrograms();
    return new Empty();
  },
};

const implementation = Object.fromEntries(
  Object.entries(methods).map(([name, method]) => [
    name,
    (/** @type {any} */ call, /** @type {(error: unknown, response?: unknown) => void} */ callback) => {
      Promise.resolve(call)
        .then(method)
        .then(
          (response) => callback(null, response),
          (error) => callback({ code: grpc.status.UNKNOWN, message: String(error?.message ?? error) }),
        );
    },
  ]),
);

for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => {
    stopPrograms();
    process.exit(0);
  });
}

const server = new grpc.Server({ "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 });
server.addService(LanguageRuntimeService, /** @type {any} */ (implementation));
server.bindAsync(
  "127.0.0.1:0",
  grpc.ServerCredentials.createInsecure(),
  (/** @type {Error | null} */ error, /** @type {number} */ port) => {
    if (error) throw error;
    // The CLI reads the port from the first line.
    process.stdout.write(`${port}\n`);
  },
);
