import type {
  Secret,
  SecretReference,
  SourceConfig,
  SourceRevisionConfig,
} from "../../../core/client/wire/deployments.ts";
import type { Phase, Transition } from "../revisions/rollout.ts";
import type { Edition } from "../tenancy.ts";

/** The time at which traffic switches to a revision. Times are in milliseconds since the epoch. */
export interface Activation {
  revisionId: string;
  sequence: number;
  at: number;
}

/** The times at which a deletion reaches its later steps; `null`: only when advanced. */
export interface Deletion {
  requestedAt: number;
  finalAt: number | null;
  goneAt: number | null;
  deleteTracingProject: boolean;
}

/** A stored deployment: plain data. */
export interface DeploymentRecord {
  id: string;
  /** Increases with every deployment of a server; listings are ordered by it, not by time. */
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
  /** The time at which a revision first reaches DEPLOYED; `null` while none is scheduled to. */
  readyAt: number | null;
  activations: Activation[];
  deletion: Deletion | null;
  tagValueIds: string[];
}

/** A stored revision. Its status is a function of `transitions` and the time. */
export interface RevisionRecord {
  id: string;
  /** Increases with every revision of a deployment. */
  sequence: number;
  deploymentId: string;
  source: string;
  config: SourceRevisionConfig;
  createdAt: number;
  /** The planned phases of the rollout. */
  phases: Phase[];
  /** Past transitions and, if it moves by time, future ones. Ordered by `at`. */
  transitions: Transition[];
  /** Whether the rollout moves by time; otherwise only when advanced. */
  moves: boolean;
  /** The status at which the rollout stays until advanced. */
  stick: string | null;
  /** Delay between DEPLOYED and the switch of traffic, in milliseconds; `null`: never. */
  activeDelay: number | null;
  /** The log of its build; `null`: the default log. */
  buildLines: string[] | null;
  /** Lines that are logged when it fails. */
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

/** A component in the customer's cluster that reconciles deployments there. */
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
  /** The tarball in base64. */
  data: string;
}
