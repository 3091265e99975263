import type {
  Secret,
  SecretReference,
  SourceConfig,
  SourceRevisionConfig,
} from "../../../core/client/wire/deployments.ts";
import type { Phase, Transition } from "../revisions/rollout.ts";
import type { Edition } from "../tenancy.ts";

/** When a revision takes over the traffic of its deployment. Times are in milliseconds since the epoch. */
export interface Activation {
  revisionId: string;
  sequence: number;
  at: number;
}

/** When a deployment that is being deleted reaches the later steps; `null`: not before somebody advances it. */
export interface Deletion {
  requestedAt: number;
  finalAt: number | null;
  goneAt: number | null;
  deleteTracingProject: boolean;
}

/** A deployment as it is stored: plain data, so that any store can keep it. */
export interface DeploymentRecord {
  id: string;
  /** Grows with every deployment of a server: newest first is by this, not by time. */
  sequence: number;
  edition: Edition;
  tenantId: string;
  name: string;
  displayName: string | null;
  source: string;
  sourceConfig: SourceConfig;
  /** The latest revision's values. */
  revisionConfig: SourceRevisionConfig;
  secrets: Secret[];
  secretReferences: SecretReference[] | null;
  createdAt: number;
  updatedAt: number;
  latestRevisionId: string;
  /** When a revision first reaches DEPLOYED; `null` while none is bound to. */
  readyAt: number | null;
  activations: Activation[];
  deletion: Deletion | null;
  tagValueIds: string[];
}

/** A revision as it is stored. Its status is a function of `transitions` and the time. */
export interface RevisionRecord {
  id: string;
  /** Grows with every revision of a deployment. */
  sequence: number;
  deploymentId: string;
  source: string;
  config: SourceRevisionConfig;
  createdAt: number;
  /** What the rollout is meant to go through. */
  phases: Phase[];
  /** What it has gone through and, where it moves by time, will go through. Ordered by `at`. */
  transitions: Transition[];
  /** Whether the phases follow one another by time; otherwise only an advance moves it. */
  moves: boolean;
  /** The status beyond which nothing moves by itself. */
  stick: string | null;
  /** How long after DEPLOYED the traffic moves to it, in milliseconds; `null`: never. */
  activeDelay: number | null;
  /** What its build has logged; `null`: what builds log by default. */
  buildLines: string[] | null;
  /** Lines logged at the moment of a failure. */
  failureLines: string[];
}

/** A repository that an integration can read. */
export interface RepositoryRecord {
  id: number;
  url: string;
  defaultBranch: string;
}

/** A link to a repository host. */
export interface IntegrationRecord {
  id: string;
  kind: "github" | "forge";
  /** The workspace that has it; `null`: every workspace. */
  tenantId: string | null;
  name: string;
  installationId: number;
  repositories: RepositoryRecord[];
  /** Whether it lets deployments use repositories beyond those listed. */
  acceptsAnyRepository: boolean;
}

/** What brings deployments into a cluster of the customer's. */
export interface ListenerRecord {
  id: string;
  tenantId: string;
  version: string | null;
  computeType: "k8s";
  computeId: string;
  namespaces: string[] | null;
  createdAt: number;
  updatedAt: number;
}

/** An uploaded source tarball; `id` is its object path. */
export interface UploadRecord {
  id: string;
  deploymentId: string;
  uploadedAt: number;
  /** The tarball in base64, so that a store of plain data can keep it. */
  data: string;
}
