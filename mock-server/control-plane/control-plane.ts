import type { Endpoint, Router } from "../kit/http/router.ts";
import { openApiDocument } from "../kit/openapi/document.ts";
import { serveReference } from "../kit/openapi/reference-page.ts";
import type { Mock } from "../mock.ts";
import { authRoutes } from "./auth/auth-routes.ts";
import { deploymentRoutes } from "./deployments/deployment-routes.ts";
import { integrationRoutes } from "./integrations/integration-routes.ts";
import { listenerRoutes } from "./listeners/listener-routes.ts";
import { logRoutes } from "./logs/log-routes.ts";
import { revisionRoutes } from "./revisions/revision-routes.ts";
import { type ControlPlaneRoute, serveRoutes } from "./route.ts";
import { schemaNames } from "./schema-names.ts";
import type { Edition } from "./store/records.ts";

/** Every operation of the control plane. */
export const controlPlaneRoutes: readonly ControlPlaneRoute[] = [
  ...integrationRoutes,
  ...deploymentRoutes,
  ...revisionRoutes,
  ...logRoutes,
  ...listenerRoutes,
  ...authRoutes,
];

/** The path under which an edition's control plane is served. */
export const editionPrefixes: Record<Edition, string> = { cloud: "", "self-hosted": "/api-host" };

const description = [
  "Creates, reads, changes and deletes deployments of agent servers, and follows their revisions.",
  "Every operation needs an API key (401 without one) and is for one workspace (403 for another key's), unless it says otherwise.",
].join("\n\n");

const securitySchemes = {
  "API Key": { type: "apiKey", in: "header", name: "X-Api-Key" },
  "Tenant ID": { type: "apiKey", in: "header", name: "X-Tenant-Id" },
  "Bearer Auth": { type: "http", scheme: "bearer" },
};

/** The control plane's OpenAPI description, as one edition serves it. */
export function controlPlaneDocument(edition: Edition): Record<string, unknown> {
  const open = new Set(controlPlaneRoutes.filter(({ access }) => access === "open").map(({ id }) => id));
  return openApiDocument(controlPlaneRoutes, {
    title: "Agent Deployment Control Plane (mock)",
    description,
    serverUrl: editionPrefixes[edition] || "/",
    schemaNames,
    securitySchemes,
    securityOf: ({ id }) => (open.has(id) ? [] : Object.keys(securitySchemes).map((name) => ({ [name]: [] }))),
    responsesAs: "output",
  });
}

/** Serves the control plane of one edition, its description and its reference page. */
export function serveControlPlane(router: Router<Endpoint>, mock: Mock, edition: Edition): void {
  const prefix = editionPrefixes[edition];
  serveReference(router, prefix, "Control plane", () => controlPlaneDocument(edition));
  serveRoutes(router, prefix, mock, edition, controlPlaneRoutes);
}
