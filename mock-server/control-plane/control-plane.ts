import type { Endpoint, Router } from "../kit/http/router.ts";
import { openApiDocument } from "../kit/openapi/document.ts";
import { failuresOfAll } from "../kit/openapi/failures.ts";
import { serveReference } from "../kit/openapi/reference-page.ts";
import { agentConnectionRoutes } from "./auth/connection-routes.ts";
import { flowRoutes } from "./auth/flow-routes.ts";
import { providerRoutes } from "./auth/provider-routes.ts";
import { tokenRoutes } from "./auth/token-routes.ts";
import { bodyResponses } from "./common-responses.ts";
import type { ControlPlaneOptions } from "./control-plane-options.ts";
import { deploymentRoutes } from "./deployments/deployment-routes.ts";
import { integrationRoutes } from "./integrations/integration-routes.ts";
import { listenerRoutes } from "./listeners/listener-routes.ts";
import { logRoutes } from "./logs/log-routes.ts";
import { revisionRoutes } from "./revisions/revision-routes.ts";
import { type ControlPlaneRoute, serveRoutes } from "./route.ts";
import { schemaNames } from "./schema-names.ts";
import { Services } from "./services.ts";
import { editionPrefixes } from "./tenancy.ts";
import { serveUploads, uploadOperation } from "./uploads/upload-routes.ts";

/** All documented operations of the control plane. */
export const controlPlaneRoutes: readonly ControlPlaneRoute[] = [
  ...integrationRoutes,
  ...deploymentRoutes,
  ...revisionRoutes,
  ...logRoutes,
  ...listenerRoutes,
  ...providerRoutes,
  ...flowRoutes,
  ...tokenRoutes,
  ...agentConnectionRoutes,
];

/** The ids of all operations of a control plane, including uploads. */
export const operationIds: readonly string[] = [...controlPlaneRoutes.map(({ id }) => id), uploadOperation];

const description = [
  "Creates, reads, changes and deletes deployments of agent servers, and follows their revisions.",
  "Every operation needs an API key (401 without one) and is for one workspace (403 for another key's), unless it says otherwise.",
  failuresOfAll,
].join("\n\n");

const securitySchemes = {
  "API Key": { type: "apiKey", in: "header", name: "X-Api-Key" },
  "Tenant ID": { type: "apiKey", in: "header", name: "X-Tenant-Id" },
  "Bearer Auth": { type: "http", scheme: "bearer" },
};

/** The control plane's OpenAPI description, the same in both editions. */
export function controlPlaneDocument(): Record<string, unknown> {
  const open = new Set(controlPlaneRoutes.filter(({ access }) => access === "open").map(({ id }) => id));
  return openApiDocument(controlPlaneRoutes, {
    title: "Agent Deployment Control Plane (mock)",
    description,
    serverUrl: ".",
    schemaNames,
    securitySchemes,
    securityOf: ({ id }) => (open.has(id) ? [] : Object.keys(securitySchemes).map((name) => ({ [name]: [] }))),
    bodyResponses,
    responsesAs: "output",
  });
}

/** The control planes of both editions. */
export interface ControlPlane {
  services: Services;
  /** Serves the operations of both editions, their descriptions and reference pages, and upload URLs. */
  serve(router: Router<Endpoint>): void;
}

export function createControlPlane(options: ControlPlaneOptions): ControlPlane {
  const services = new Services(options);
  return {
    services,
    serve(router) {
      for (const edition of ["cloud", "self-hosted"] as const) {
        serveReference(router, editionPrefixes[edition], "Control plane", controlPlaneDocument);
        serveRoutes(router, edition, controlPlaneRoutes, { ...options, servicesOf: (tenancy) => services.of(tenancy) });
      }
      serveUploads(router, services.uploads, services.deployments);
    },
  };
}
