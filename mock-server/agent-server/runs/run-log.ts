import { EventLog } from "../../kit/event-log.ts";
import type { AgentRuntime, AgentSettings } from "../agent-runtime.ts";
import type { AgentState } from "../persistence/agent-state.ts";

interface RunLogDependencies extends Pick<AgentRuntime, "clock" | "onDefect"> {
  settings: Pick<AgentSettings, "streamLimits">;
  state: Pick<AgentState, "runs">;
}

/** The event log of a run; that of a resumable run has its stored events and stores further ones. */
export function createRunLog(
  { state: { runs }, clock, settings, onDefect }: RunLogDependencies,
  runId: string,
  isResumable: boolean,
): EventLog {
  const options = { now: () => clock.now(), limits: settings.streamLimits, onDefect };
  if (!isResumable) return new EventLog({ ...options, keeps: false });
  return new EventLog({
    ...options,
    keeps: true,
    frames: runs.events(runId),
    archive: { append: (frames, oldest) => runs.addEvents(runId, frames, oldest) },
  });
}
