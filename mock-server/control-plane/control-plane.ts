import type { Router } from "../http/router.ts";
import type { Mock } from "../mock.ts";
import { openApiDocument } from "../openapi/document.ts";
import { serveReference } from "../openapi/reference-page.ts";
import { type Endpoint, type Route, serveRoutes } from "../openapi/route.ts";
import { authRoutes } from "./auth/auth-routes.ts";
import { deploymentRoutes } from "./deployment-routes.ts";
import { integrationRoutes } from "./integration-routes.ts";
import { listenerRoutes } from "./listener-routes.ts";
import { logRoutes } from "./log-routes.ts";
import { revisionRoutes } from "./revision-routes.ts";
import type { Edition } from "./store/records.ts";

/** Every operation of the control plane. */
export const controlPlaneRoutes: readonly Route[] = [
  ...integrationRoutes,
  ...deploymentRoutes,
  ...revisionRoutes,
  ...logRoutes,
  ...listenerRoutes,
  ...authRoutes,
];

/** The path under which an edition's control plane is served. */
export const editionPrefixes: Record<Edition, string> = { cloud: "", "self-hosted": "/api-host" };

/** The control plane's OpenAPI description, as one edition serves it. */
export function controlPlaneDocument(edition: Edition): Record<string, unknown> {
  return openApiDocument(controlPlaneRoutes, editionPrefixes[edition] || "/");
}

/** Serves the control plane of one edition, its description and its reference page. */
export function serveControlPlane(router: Router<Endpoint>, mock: Mock, edition: Edition): void {
  const prefix = editionPrefixes[edition];
  serveReference(router, prefix, "Control plane", () => controlPlaneDocument(edition));
  serveRoutes(router, prefix, mock, edition, controlPlaneRoutes);
}
