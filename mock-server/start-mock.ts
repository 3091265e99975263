import { readFile } from "node:fs/promises";
import { readMockConfig } from "./config-file.ts";
import type { TransitionMode } from "./control-plane/revisions/rollout.ts";
import { withBuiltInGraphs } from "./graphs/built-in-graphs.ts";
import { readGraphs } from "./graphs/declared/read-graphs.ts";
import type { Certificate } from "./kit/http/http-server.ts";
import { sayIfReachable } from "./network-notice.ts";
import { type MockServer, startMockServer } from "./server.ts";
import { UsageError } from "./usage-error.ts";

/** The parsed flags of the `mock` command. */
export interface MockFlags {
  port: number;
  host: string;
  apiKey?: Record<string, string[]>;
  transitions: TransitionMode;
  allowHost?: string[];
  tlsCert?: string;
  tlsKey?: string;
  publicUrl?: string;
  seed?: number;
  strict: boolean;
  logFormat: "pretty" | "json";
  adminToken?: string;
  allowOutbound?: string[];
  config?: string;
  dataDir?: string;
  graphs?: string;
  repo?: Record<string, string>;
  runUploads: boolean;
  /** In MiB. */
  workerMemory?: number;
}

/** Starts the server and prints its URL on stdout. @throws {Error} with one sentence for invalid flags or files. */
export async function startMock(flags: MockFlags): Promise<MockServer> {
  const {
    apiKey,
    logFormat,
    config: file,
    dataDir,
    graphs: graphsFile,
    repo,
    runUploads,
    workerMemory,
    tlsCert,
    tlsKey,
    allowHost,
    ...rest
  } = flags;
  const config = file === undefined ? {} : await readMockConfig(file);
  const {
    integrations = [],
    transitions,
    faults = [],
    api_keys: configuredKeys,
    allow_outbound: hosts = [],
    graphs: declared = [],
  } = config;
  const memory = workerMemory ?? config.worker_memory_mb;
  const more = graphsFile === undefined ? [] : await readGraphs(graphsFile, withBuiltInGraphs(declared));
  const apiKeys = apiKey || configuredKeys ? { ...configuredKeys, ...apiKey } : undefined;
  const certificate = await readCertificate(tlsCert, tlsKey);
  const server = await startMockServer({
    ...rest,
    ...(certificate ? { certificate } : {}),
    ...(allowHost ? { allowedHosts: allowHost } : {}),
    ...(apiKeys ? { apiKeys } : {}),
    ...(dataDir === undefined ? {} : { dataDirectory: dataDir }),
    allowOutbound: [...hosts, ...(flags.allowOutbound ?? [])],
    integrations,
    repositories: { ...config.repositories, ...repo },
    ...(memory === undefined ? {} : { workerMemoryMb: memory }),
    runUploads: runUploads || config.run_uploads === true,
    graphs: [...declared.filter(({ id }) => !more.some((graph) => graph.id === id)), ...more],
    logFormat,
  });
  try {
    if (transitions) server.transitions.set(transitions);
    server.faults.add(...faults);
    // A data directory that is continued has them already, or they were deleted since.
    if (!server.isContinued) await server.seed({ listeners: config.listeners, deployments: config.deployments });
  } catch (error) {
    await server.close();
    throw new RangeError(`${file}: ${(error as Error).message.replace(/\.$/, "")}`);
  }
  announce(server, logFormat, apiKeys ? Object.keys(apiKeys).length : null);
  const callers = apiKeys
    ? "Callers need one of the API keys"
    : "Any key that isn't empty is accepted: name keys with --api-key";
  const admins =
    flags.adminToken === undefined ? "the admin API is closed without --admin-token" : "the admin API needs its token";
  sayIfReachable(flags.host, logFormat, `${callers}; ${admins}.`);
  return server;
}

async function readCertificate(cert: string | undefined, key: string | undefined): Promise<Certificate | undefined> {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) throw new UsageError("--tls-cert and --tls-key go together: give both.");
  return { cert: await readPem("--tls-cert", cert), key: await readPem("--tls-key", key) };
}

async function readPem(option: string, path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new UsageError(`${option} ${path} can't be read (${code}).`, { cause });
  }
}

function announce(server: MockServer, logFormat: MockFlags["logFormat"], keyCount: number | null): void {
  const transitions = server.transitions.get().mode;
  const { url, selfHostedUrl } = server;
  if (logFormat === "json") {
    const line = { event: "listening", url, self_hosted_url: selfHostedUrl, docs: `${url}/docs`, transitions };
    process.stdout.write(`${JSON.stringify(line)}\n`);
    return;
  }
  const keys = keyCount === null ? "any non-empty key" : `${keyCount} accepted`;
  process.stdout.write(
    [
      `Cloud control plane        ${url}`,
      `Self-hosted control plane  ${selfHostedUrl}`,
      `API reference              ${url}/docs`,
      `API keys                   ${keys}`,
      `Transitions                ${transitions}`,
      "",
    ].join("\n"),
  );
}
