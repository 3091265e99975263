import { z } from "zod";

import { validationFailed } from "../common-responses.ts";
import { route } from "../route.ts";
import { errorDetail } from "../schemas.ts";
import type { IntegrationRecord } from "../store/records.ts";
import { findIntegration, integrationsOf, viewIntegration, viewRepository } from "./integration-model.ts";
import { integrationResponse, repositoryResponse } from "./integration-schemas.ts";

const tag = "Integrations (v1)";

function routesOf(kind: IntegrationRecord["kind"], root: string, what: string) {
  const id = kind === "github" ? "github" : "forge_github";
  return [
    route({
      id: `list_${id}_integrations`,
      method: "get",
      path: `${root}/install`,
      tag,
      summary: `List the ${what} integrations of the workspace`,
      responses: { 200: { description: "The integrations.", schema: z.array(integrationResponse) } },
      handle({ mock, scope }) {
        return { status: 200, body: integrationsOf(mock, scope, kind).map(viewIntegration) };
      },
    }),
    route({
      id: `list_${id}_repositories`,
      method: "get",
      path: `${root}/{integration_id}/repos`,
      tag,
      summary: `List the repositories that a ${what} integration can read`,
      responses: {
        200: { description: "The repositories.", schema: z.array(repositoryResponse) },
        404: { description: "No such integration in this workspace.", schema: errorDetail },
        422: validationFailed,
      },
      handle({ mock, scope, params }) {
        const integration = findIntegration(mock, scope, kind, params.integration_id as string);
        const body = integration.repositories.map((repository) => viewRepository(integration, repository));
        return { status: 200, body };
      },
    }),
  ];
}

export const integrationRoutes = [
  ...routesOf("github", "/v1/integrations/github", "GitHub"),
  ...routesOf("forge", "/v1/integrations/forge/github", "Forge"),
];
