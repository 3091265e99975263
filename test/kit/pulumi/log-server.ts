import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from "@grpc/grpc-js";
import engineService from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import type { LogRequest } from "@pulumi/pulumi/proto/engine_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";

/** One line that a program or provider logged. `ephemeral` lines are the live status in a resource's row. */
export interface LoggedLine {
  readonly severity: "debug" | "info" | "warning" | "error";
  readonly message: string;
  /** The resource it belongs to; empty for none. */
  readonly urn: string;
  readonly ephemeral: boolean;
}

/** An engine that only receives log lines. */
export interface LogServer extends AsyncDisposable {
  /** `host:port`, to pass to `startDynamicProcess`. */
  readonly address: string;
  /** The lines so far. */
  readonly lines: readonly LoggedLine[];
  /** Resolves with the first line, past or future, that contains `text`. */
  logged(text: string): Promise<LoggedLine>;
}

const severities = ["debug", "info", "warning", "error"] as const;

/** Starts an EngineService on loopback that records log lines. */
export async function startLogServer(): Promise<LogServer> {
  const lines: LoggedLine[] = [];
  const listeners = new Set<() => void>();
  const log = ({ request }: ServerUnaryCall<LogRequest, empty.Empty>, respond: sendUnaryData<empty.Empty>) => {
    lines.push({
      severity: severities[request.getSeverity()] ?? "info",
      message: request.getMessage(),
      urn: request.getUrn(),
      ephemeral: request.getEphemeral(),
    });
    for (const listener of listeners) listener();
    respond(null, new empty.Empty());
  };
  const server = new Server();
  server.addService(engineService.EngineService, { log });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return {
    address: `127.0.0.1:${port}`,
    lines,
    logged: (text) =>
      new Promise((resolve) => {
        const look = () => {
          const line = lines.find(({ message }) => message.includes(text));
          if (line === undefined) return;
          listeners.delete(look);
          resolve(line);
        };
        listeners.add(look);
        look();
      }),
    [Symbol.asyncDispose]: async () => server.forceShutdown(),
  };
}
