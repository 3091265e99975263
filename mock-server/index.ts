/** The mock server as a library: `graphdeploy/mock-server`. */
export {
  type ClockState,
  type Confirmation,
  connectMockServer,
  MockAdminError,
  type MockServerClient,
  type RemoteRequestsFilter,
} from "./admin/admin-client.ts";
export type { FixtureEntry } from "./admin/journal-fixture.ts";
export type { Seed, Seeded } from "./admin/seed.ts";
export type { Snapshot } from "./admin/snapshot.ts";
export { isStudioUser } from "./agent-server/auth/studio-user.ts";
export { appended, type Channel, type Channels, lastValue, messages } from "./agent-server/engine/channels.ts";
export type { Command, Destination, Fields } from "./agent-server/engine/contract.ts";
export type { Message } from "./agent-server/engine/messages.ts";
export {
  type Edge,
  NodeCommand,
  type NodeContext,
  type NodeEmission,
  type NodeFunction,
  type NodeResult,
  type ScriptedGraph,
  type ScriptedStore,
  type ToolCall,
} from "./agent-server/engine/scripted-graph.ts";
export type { Push } from "./control-plane/deployments/deployment-registry.ts";
export type { IntegrationSeed } from "./control-plane/integrations/integration-seed.ts";
export type { TransitionMode } from "./control-plane/revisions/rollout.ts";
export type { TransitionRule, TransitionSettings } from "./control-plane/revisions/transition-settings.ts";
export type { RevisionBody } from "./control-plane/schemas.ts";
export type { FaultEffect, FaultRule } from "./faults/fault-rule.ts";
export type { FaultReport } from "./faults/fault-table.ts";
export type { RecordedRequest, RequestCounts } from "./journal/journal.ts";
export type { Clock } from "./kit/clock.ts";
export type { Certificate } from "./kit/http/http-server.ts";
export type { Faults, MockServer, MockServerOptions, RequestsFilter, Transitions } from "./mock-server.ts";
export { startMockServer } from "./server.ts";
export type { ServerInfo } from "./server-info.ts";
export { mockServerFixture } from "./vitest-fixture.ts";
