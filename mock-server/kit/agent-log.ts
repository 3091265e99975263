export type AgentLogLevel = "DEBUG" | "INFO" | "WARNING" | "ERROR";

/** Something that an agent server, or the code that runs on it, has to say. It may hold secrets: whoever shows it redacts it. */
export interface AgentLogEntry {
  deploymentId: string;
  /** The revision that served the traffic, or whose code said it. */
  revisionId: string;
  level: AgentLogLevel;
  message: string;
}
