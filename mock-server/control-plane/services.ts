import { KeyedLocks } from "../kit/keyed-locks.ts";
import { AuthCallbacks } from "./auth/auth-callbacks.ts";
import type { AuthOptions } from "./auth/auth-options.ts";
import { AuthService } from "./auth/auth-service.ts";
import { ConnectionService } from "./auth/connection-service.ts";
import { Notifier } from "./auth/notifier.ts";
import { ProviderService } from "./auth/provider-service.ts";
import { TokenService } from "./auth/token-service.ts";
import type { ControlPlaneOptions } from "./control-plane-options.ts";
import { DeploymentRegistry } from "./deployments/deployment-registry.ts";
import { DeploymentService } from "./deployments/deployment-service.ts";
import { IntegrationService } from "./integrations/integration-service.ts";
import { ListenerService } from "./listeners/listener-service.ts";
import { AgentLines } from "./logs/agent-lines.ts";
import { LogService } from "./logs/log-service.ts";
import { RevisionService } from "./revisions/revision-service.ts";
import type { Tenancy } from "./tenancy.ts";
import { UploadService } from "./uploads/upload-service.ts";

/**
 * The services that handlers use. None reaches another tenancy, except callbacks with a state that this server signed.
 */
export interface TenantServices {
  deployments: DeploymentService;
  revisions: RevisionService;
  logs: LogService;
  listeners: ListenerService;
  integrations: IntegrationService;
  providers: ProviderService;
  tokens: TokenService;
  connections: ConnectionService;
  auth: AuthService;
  callbacks: AuthCallbacks;
}

/** The services of all control planes of a server. */
export class Services {
  /** The deployments of all tenancies. */
  readonly deployments: DeploymentRegistry;
  readonly revisions: RevisionService;
  readonly uploads: UploadService;
  readonly agentLines: AgentLines;
  readonly #options: ControlPlaneOptions;
  readonly #authOptions: AuthOptions;
  readonly #callbacks: AuthCallbacks;
  readonly #logs: LogService;

  constructor(options: ControlPlaneOptions) {
    this.#options = options;
    this.uploads = new UploadService(options);
    this.revisions = new RevisionService({ ...options, uploads: this.uploads });
    this.deployments = new DeploymentRegistry({ ...options, revisions: this.revisions });
    this.agentLines = new AgentLines(options);
    this.#logs = new LogService({ ...options, agentLines: this.agentLines });
    this.#authOptions = { ...options, locks: new KeyedLocks(), finished: new Notifier() };
    this.#callbacks = new AuthCallbacks(this.#authOptions);
  }

  /** The services of one tenancy. */
  of(tenancy: Tenancy): TenantServices {
    const { revisions, uploads } = this;
    const integrations = new IntegrationService(this.#options, tenancy);
    const listeners = new ListenerService(this.#options, tenancy);
    const own = { registry: this.deployments, revisions, uploads, integrations, listeners };
    const providers = new ProviderService(this.#authOptions, tenancy);
    const tokens = new TokenService(this.#authOptions, tenancy);
    const connections = new ConnectionService(this.#authOptions, tenancy);
    return {
      deployments: new DeploymentService({ ...this.#options, ...own }, tenancy),
      revisions,
      logs: this.#logs,
      listeners,
      integrations,
      providers,
      tokens,
      connections,
      auth: new AuthService({ ...this.#authOptions, providers, tokens, connections }, tenancy),
      callbacks: this.#callbacks,
    };
  }

  /** Ends all waits for authentications. */
  close(): void {
    this.#authOptions.finished.notifyAll();
  }
}
