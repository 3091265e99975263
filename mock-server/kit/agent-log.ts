export type AgentLogLevel = "DEBUG" | "INFO" | "WARNING" | "ERROR";

/** A log entry of an agent server or the code that runs on it. Unredacted: those who show it redact it. */
export interface AgentLogEntry {
  deploymentId: string;
  /** The live revision, or the one whose code logged it. */
  revisionId: string;
  level: AgentLogLevel;
  message: string;
}
