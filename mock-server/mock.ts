import type { AgentServer } from "./agent-server/agent-server.ts";
import type { RevisionProjects } from "./builds/revision-projects.ts";
import type { KeyRing } from "./control-plane/auth/api-keys.ts";
import type { Waiters } from "./control-plane/auth/waiters.ts";
import { activeRevisionId } from "./control-plane/deployments/deployment-state.ts";
import type { AgentLines } from "./control-plane/logs/agent-lines.ts";
import type { TransitionTable } from "./control-plane/revisions/transition-settings.ts";
import type { ControlPlaneStore } from "./control-plane/store/control-plane-store.ts";
import type { FaultTable } from "./faults/fault-table.ts";
import type { Journal } from "./journal/journal.ts";
import type { Clock } from "./kit/clock.ts";
import type { IdSource } from "./kit/ids.ts";
import type { KeyedLocks } from "./kit/keyed-locks.ts";
import type { Outbound } from "./kit/outbound.ts";
import type { Redaction } from "./kit/redaction.ts";
import type { Signer } from "./kit/signer.ts";

/** What the parts of one mock server share. */
export interface Mock {
  state: ControlPlaneStore;
  /** Whether the state outlives the process: then it is given up only when that is confirmed. */
  isKept: boolean;
  clock: Clock;
  ids: IdSource;
  locks: KeyedLocks;
  keys: KeyRing;
  transitions: TransitionTable;
  faults: FaultTable;
  journal: Journal;
  redaction: Redaction;
  agentServer: AgentServer;
  /** The projects that revisions run. */
  projects: RevisionProjects;
  agentLines: AgentLines;
  outbound: Outbound;
  signer: Signer;
  /** Called when an authentication has come to its end. */
  authFinished: Waiters;
  /** Whether requests are refused for what servers usually forgive. */
  strict: boolean;
  /** Where browsers and clients reach this server, without a slash at the end. */
  publicUrl(): string;
}

/** Where the agent server of a deployment answers. */
export function agentUrl(mock: Mock, deploymentId: string): string {
  return `${mock.publicUrl()}/agents/${deploymentId}`;
}

/** Ends what runs for one deployment, or for all, and removes what their agent servers have kept and logged. */
export function endAgents(mock: Mock, deploymentId?: string): void {
  mock.agentServer.forget?.(deploymentId);
  mock.projects.forget(deploymentId);
  mock.agentLines.forget(deploymentId);
}

/** Starts the agent servers of live deployments that an earlier server left with something to do. Others start at their first request. */
export function wakeAgents({ agentServer, agentLines, state, clock }: Mock): void {
  for (const deploymentId of agentServer.deploymentsWithWork?.() ?? []) {
    const deployment = state.deployments.get(deploymentId);
    const revisionId = deployment && activeRevisionId(deployment, clock.now());
    if (!revisionId) continue;
    agentServer.wake?.({ deployment, revisionId }).catch((error: Error) => {
      const message = `What was left to do waits for the next request: ${error.message}`;
      agentLines.add({ deploymentId, revisionId, level: "ERROR", message });
    });
  }
}
