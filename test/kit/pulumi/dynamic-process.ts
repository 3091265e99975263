import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { credentials, type Metadata, type ServiceError } from "@grpc/grpc-js";
import providerService from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import messages from "@pulumi/pulumi/proto/provider_pb.js";
import statusMessages from "@pulumi/pulumi/proto/status_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import struct from "google-protobuf/google/protobuf/struct_pb.js";

const require = createRequire(import.meta.url);

/** The engine's placeholder for an unknown value of any type, at any depth. */
export const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Property values as they are sent: JSON. */
export type Properties = Record<string, unknown>;

/**
 * The provider created the resource (it has an id) but reports that it failed: the engine keeps it and shows `reasons`.
 */
export class InitFailure extends Error {
  readonly id: string;
  readonly properties: Properties;
  readonly reasons: readonly string[];

  constructor(message: string, id: string, properties: Properties, reasons: readonly string[]) {
    super(message);
    this.name = "InitFailure";
    this.id = id;
    this.properties = properties;
    this.reasons = reasons;
  }
}

/** The result of a diff. `unknown`: the engine compares the inputs itself. */
export interface DiffResult {
  readonly changes: "some" | "none" | "unknown";
  readonly replaces: readonly string[];
  readonly deleteBeforeReplace: boolean;
}

/** The SDK's dynamic-provider process, called as the engine calls it. A failed method rejects with its gRPC error. */
export interface DynamicProcess extends AsyncDisposable {
  /** The child process. */
  readonly process: ChildProcess;
  /** Its output to stdout (after the port) and stderr so far. */
  output(): string;
  /** The stack's whole configuration, such as `{ "graphdeploy:region": "eu" }`. */
  configure(config: Record<string, string>): Promise<void>;
  check(
    urn: string,
    olds: Properties,
    news: Properties,
  ): Promise<{ inputs: Properties; failures: { property: string; reason: string }[] }>;
  /** `olds` are the old outputs, `news` the checked inputs. */
  diff(urn: string, id: string, olds: Properties, news: Properties): Promise<DiffResult>;
  /** @throws InitFailure when the resource exists but failed */
  create(urn: string, inputs: Properties): Promise<{ id: string; outputs: Properties }>;
  /** An empty id means that the resource is gone. `inputs` is absent when the provider returned none. */
  read(
    urn: string,
    id: string,
    outputs: Properties,
    inputs: Properties,
  ): Promise<{ id: string; outputs: Properties; inputs?: Properties }>;
  /** @throws InitFailure when the resource exists but failed */
  update(urn: string, id: string, olds: Properties, news: Properties): Promise<Properties>;
  delete(urn: string, id: string, outputs: Properties): Promise<void>;
  /** Sends what the engine sends on the first Ctrl-C. */
  cancel(): Promise<void>;
  /** Ends the process and waits for it. */
  kill(signal?: NodeJS.Signals): Promise<void>;
}

type Unary<Request, Response> = (
  request: Request,
  callback: (error: ServiceError | null, response: Response) => void,
) => unknown;

function call<Request, Response>(method: Unary<Request, Response>, request: Request): Promise<Response> {
  return new Promise((resolve, reject) => {
    method(request, (error, response) => (error === null ? resolve(response) : reject(decodeError(error))));
  });
}

// The SDK packs an init failure into a google.rpc.Status in this trailer.
function decodeError(error: ServiceError): Error {
  const [bytes] = (error.metadata as Metadata | undefined)?.get("grpc-status-details-bin") ?? [];
  if (!(bytes instanceof Buffer)) return error;
  for (const detail of statusMessages.Status.deserializeBinary(bytes).getDetailsList()) {
    if (detail.getTypeName() !== "pulumirpc.ErrorResourceInitFailed") continue;
    const failure = messages.ErrorResourceInitFailed.deserializeBinary(detail.getValue_asU8());
    return new InitFailure(error.details, failure.getId(), plain(failure.getProperties()), failure.getReasonsList());
  }
  return error;
}

function plain(value: struct.Struct | undefined): Properties {
  return (value?.toJavaScript() ?? {}) as Properties;
}

function toStruct(properties: Properties): struct.Struct {
  return struct.Struct.fromJavaScript(JSON.parse(JSON.stringify(properties)));
}

const changes = ["unknown", "none", "some"] as const;

/**
 * Starts the dynamic-provider process that ships in @pulumi/pulumi.
 *
 * @param options.cwd where the provider's own `require` and `import` look for packages
 * @param options.engine address of an EngineService for its log lines; by default one that nobody listens on
 * @param options.environment added to this process's environment
 * @throws Error when the process ends before it listens
 */
export async function startDynamicProcess(
  options: { cwd?: string; engine?: string; environment?: Readonly<Record<string, string>> } = {},
): Promise<DynamicProcess> {
  const script = require.resolve("@pulumi/pulumi/cmd/dynamic-provider/index.js");
  const child = spawn(process.execPath, [script, options.engine ?? "127.0.0.1:1"], {
    cwd: options.cwd,
    env: { ...process.env, ...options.environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const lines = createInterface(child.stdout);
  const port = await new Promise<string>((resolve, reject) => {
    lines.once("line", resolve);
    child.once("error", reject);
    child.once("close", (code) => reject(new Error(`the dynamic provider ended with ${code}: ${output}`)));
  });
  lines.on("line", (line) => {
    output += `${line}\n`;
  });
  const client = new providerService.ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure());
  const kill = async (signal: NodeJS.Signals = "SIGTERM") => {
    client.close();
    child.kill(signal);
    await closed;
  };
  return {
    process: child,
    output: () => output,
    configure: async (config) => {
      const request = new messages.ConfigureRequest().setArgs(toStruct(config)).setAcceptsecrets(true);
      await call(client.configure.bind(client) as Unary<typeof request, messages.ConfigureResponse>, request);
    },
    check: async (urn, olds, news) => {
      const request = new messages.CheckRequest().setUrn(urn).setOlds(toStruct(olds)).setNews(toStruct(news));
      const response = await call(client.check.bind(client) as Unary<typeof request, messages.CheckResponse>, request);
      const failures = response.getFailuresList();
      return {
        inputs: plain(response.getInputs()),
        failures: failures.map((failure) => ({ property: failure.getProperty(), reason: failure.getReason() })),
      };
    },
    diff: async (urn, id, olds, news) => {
      const request = new messages.DiffRequest().setUrn(urn).setId(id).setOlds(toStruct(olds)).setNews(toStruct(news));
      const response = await call(client.diff.bind(client) as Unary<typeof request, messages.DiffResponse>, request);
      return {
        changes: changes[response.getChanges()] ?? "unknown",
        replaces: response.getReplacesList(),
        deleteBeforeReplace: response.getDeletebeforereplace(),
      };
    },
    create: async (urn, inputs) => {
      const request = new messages.CreateRequest().setUrn(urn).setProperties(toStruct(inputs));
      const response = await call(
        client.create.bind(client) as Unary<typeof request, messages.CreateResponse>,
        request,
      );
      return { id: response.getId(), outputs: plain(response.getProperties()) };
    },
    read: async (urn, id, outputs, inputs) => {
      const request = new messages.ReadRequest().setUrn(urn).setId(id).setInputs(toStruct(inputs));
      request.setProperties(toStruct(outputs));
      const response = await call(client.read.bind(client) as Unary<typeof request, messages.ReadResponse>, request);
      const read = { id: response.getId(), outputs: plain(response.getProperties()) };
      return response.hasInputs() ? { ...read, inputs: plain(response.getInputs()) } : read;
    },
    update: async (urn, id, olds, news) => {
      const request = new messages.UpdateRequest()
        .setUrn(urn)
        .setId(id)
        .setOlds(toStruct(olds))
        .setNews(toStruct(news));
      const response = await call(
        client.update.bind(client) as Unary<typeof request, messages.UpdateResponse>,
        request,
      );
      return plain(response.getProperties());
    },
    delete: async (urn, id, outputs) => {
      const request = new messages.DeleteRequest().setUrn(urn).setId(id).setProperties(toStruct(outputs));
      await call(client.delete.bind(client) as Unary<typeof request, empty.Empty>, request);
    },
    cancel: async () => {
      const request = new empty.Empty();
      await call(client.cancel.bind(client) as Unary<typeof request, empty.Empty>, request);
    },
    kill,
    [Symbol.asyncDispose]: () => kill("SIGKILL"),
  };
}
