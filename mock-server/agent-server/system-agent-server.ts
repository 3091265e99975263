import { referencePage, serveReferenceAsset } from "../openapi/reference-page.ts";
import type { AgentServer, LiveAgent } from "./agent-server.ts";

/** Answers to the system group of an agent server: `/ok`, `/info`, `/docs` and `/openapi.json`. Everything else is a 404. */
export const systemAgentServer: AgentServer = {
  async handle(agent, path, request) {
    const answer = answers[path];
    const isAsset = path.startsWith("/docs/");
    if (!answer && !isAsset) return Response.json({ detail: "Not Found" }, { status: 404 });
    if (request.method !== "GET" && request.method !== "HEAD") {
      return Response.json({ detail: "Method Not Allowed" }, { status: 405, headers: { allow: "GET, HEAD" } });
    }
    return answer ? answer(agent) : serveReferenceAsset(path.slice("/docs/".length));
  },
};

const answers: Record<string, (agent: LiveAgent) => Response> = {
  "/ok": () => Response.json({ ok: true }),
  "/info": ({ deployment, revisionId }) =>
    Response.json({
      version: "0.1.0",
      flags: {},
      host: {
        kind: deployment.edition === "cloud" ? "saas" : "self-hosted",
        project_id: deployment.id,
        revision_id: revisionId,
        tenant_id: deployment.tenantId,
      },
    }),
  "/docs": ({ deployment }) =>
    new Response(referencePage(escapeHtml(deployment.name)), {
      headers: { "content-type": "text/html; charset=UTF-8" },
    }),
  "/openapi.json": () => Response.json(systemDocument),
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function described(summary: string) {
  return {
    get: {
      tags: ["System"],
      summary,
      responses: { 200: { description: "Always, once the deployment is live.", content: { "application/json": {} } } },
    },
  };
}

const systemDocument = {
  openapi: "3.1.0",
  info: { title: "Agent server (mock)", version: "0.1.0" },
  servers: [{ url: "." }],
  paths: { "/ok": described("Check the health"), "/info": described("Read what the server is") },
};
