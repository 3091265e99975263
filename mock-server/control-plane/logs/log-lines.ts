import type { SourceRevisionConfig } from "../../../core/client/wire/deployments.ts";
import type { AgentLogLevel } from "../../kit/agent-log.ts";
import { isBuilt } from "../revisions/rollout.ts";
import type { RevisionRecord } from "../store/records.ts";

export type LogKind = "build" | "deploy";

/** One line of a log; `timestamp` is in milliseconds since the epoch. */
export type LogLine = {
  id: string;
  timestamp: number;
  level: AgentLogLevel;
  message: string;
};

const defaultFailures: Record<string, string[]> = {
  CREATE_FAILED: ["Creating the deployment's database failed."],
  BUILD_FAILED: ["ERROR: process did not complete successfully: exit code: 1", "Build failed."],
  DEPLOY_FAILED: ["Container exited with code 1 before it responded to /ok.", "Deploy failed."],
};

/** The default log of a build. */
export function buildLines(source: string, config: SourceRevisionConfig): string[] {
  if (!isBuilt(source)) return [];
  return [
    config.repo_commit_sha
      ? `Fetching ${config.repo_ref ?? "HEAD"} at ${config.repo_commit_sha}`
      : "Unpacking the source",
    `Reading ${config.graph_config_path ?? "the graph configuration"}`,
    "Installing dependencies",
    "Building the image",
    "Pushing the image",
  ];
}

/** The log of a rollout. */
function deployLines(config: SourceRevisionConfig): string[] {
  return [`Pulling ${config.image_uri ?? "the image"}`, "Starting the agent server", "Application startup complete."];
}

/** The lines of a revision's log up to `now`, in milliseconds since the epoch; oldest first. */
export function logOf(revision: RevisionRecord, kind: LogKind, now: number): LogLine[] {
  const phase = kind === "build" ? "BUILDING" : "DEPLOYING";
  const { transitions } = revision;
  const index = transitions.findLastIndex(({ status, at }) => status === phase && at <= now);
  const lines: Omit<LogLine, "id">[] = [];
  if (index >= 0) {
    const start = (transitions[index] as { at: number }).at;
    const { source, config } = revision;
    const messages = kind === "build" ? (revision.buildLines ?? buildLines(source, config)) : deployLines(config);
    const step = Math.max(0, (transitions[index + 1]?.at ?? start) - start) / (messages.length + 1);
    messages.forEach((message, position) => {
      lines.push({ timestamp: Math.round(start + step * position), level: "INFO", message });
    });
  }
  const failure = transitions.find(({ status }) => status.includes("FAILED"));
  const failedLog: LogKind = failure?.status === "DEPLOY_FAILED" ? "deploy" : "build";
  if (failure && failedLog === kind) {
    const own = revision.failureLines;
    for (const message of own.length > 0 ? own : (defaultFailures[failure.status] ?? [failure.status])) {
      lines.push({ timestamp: failure.at, level: "ERROR", message });
    }
  }
  return lines
    .map((line, position) => ({ id: `${revision.id}-${kind}-${position}`, ...line }))
    .filter(({ timestamp }) => timestamp <= now);
}
