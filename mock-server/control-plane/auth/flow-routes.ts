import { z } from "zod";
import { escapeHtml, simplePage } from "../../kit/http/html-page.ts";
import { HttpError } from "../../kit/http/http-error.ts";
import { type HttpResponse, pageResponse } from "../../kit/http/http-response.ts";
import { ruleBroken, validationFailed } from "../common-responses.ts";
import { route } from "../route.ts";
import { errorDetail } from "../schemas.ts";
import type { AuthCallbacks, Callback } from "./auth-callbacks.ts";
import {
  authenticateRequest,
  authenticateResponse,
  finalizeRequest,
  finalizeResponse,
  waitResponse,
} from "./auth-schemas.ts";
import { maxWait } from "./auth-service.ts";

const tag = "Auth Service (v2)";
const pages = {
  200: {
    description: "A page that says that the user can close the window.",
    mediaType: "text/html",
    schema: z.string(),
  },
  400: { description: "A page with the error.", mediaType: "text/html", schema: z.string() },
  422: validationFailed,
};
const text = (description: string) => ({ kind: "string", schema: z.string().optional(), description }) as const;
const callbackQuery = {
  code: text("The authorization code."),
  state: text("The `state` parameter of the authentication."),
  error: text("The provider's error code."),
  error_description: text("The provider's description of the error."),
};

/**
 * Completes an authentication and shows the user the outcome. Never redirects the browser, whatever the request has.
 */
async function finishOnPage(callbacks: AuthCallbacks, callback: Callback): Promise<HttpResponse> {
  try {
    const { name } = await callbacks.finish(callback);
    const text = `<p>You are connected to ${escapeHtml(name)}. You can close this window.</p>`;
    return pageResponse(200, simplePage("Connected", text));
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    return pageResponse(error.status, simplePage("Not connected", `<p>${escapeHtml(error.message)}</p>`));
  }
}

export const flowRoutes = [
  route({
    id: "authenticate",
    method: "post",
    path: "/v2/auth/authenticate",
    tag,
    summary: "Get a user's token, or the URL at which the user allows access",
    body: { schema: authenticateRequest, required: true },
    responses: {
      200: { description: "The token, or the next step.", schema: authenticateResponse },
      404: { description: "No such provider or token in this workspace.", schema: errorDetail },
      422: validationFailed,
    },
    async handle({ auth, caller, body }) {
      return { status: 200, body: await auth.authenticate(caller, body) };
    },
  }),
  route({
    id: "wait_for_auth_completion",
    method: "get",
    path: "/v2/auth/wait/{auth_id}",
    params: { auth_id: z.string() },
    tag,
    summary: "Wait until a user has allowed or denied access",
    query: {
      timeout: {
        kind: "integer",
        schema: z.int().default(30),
        description: `Maximum seconds to wait, from 0; above ${maxWait} counts as ${maxWait}.`,
      },
    },
    responses: {
      200: { description: "The token, or the reason why there is none.", schema: waitResponse },
      422: validationFailed,
    },
    async handle({ auth, caller, params, query, signal }) {
      return { status: 200, body: await auth.wait(caller, params.auth_id, query.timeout, signal) };
    },
  }),
  route({
    id: "oauth_callback_get",
    method: "get",
    path: "/v2/auth/callback/{provider_id}",
    params: { provider_id: z.string() },
    access: "open",
    tag,
    summary: "The callback for browsers from an OAuth provider",
    query: callbackQuery,
    responses: pages,
    handle({ callbacks, params, query: { code, state, error, error_description: errorDescription } }) {
      return finishOnPage(callbacks, { providerId: params.provider_id, code, state, error, errorDescription });
    },
  }),
  route({
    id: "oauth_callback",
    method: "post",
    path: "/v2/auth/callback/{provider_id}",
    params: { provider_id: z.string() },
    tag,
    summary: "Complete an authentication whose callback another page received",
    body: { schema: finalizeRequest, required: true },
    responses: {
      200: { description: "The user is connected.", schema: finalizeResponse },
      400: ruleBroken,
      422: validationFailed,
    },
    async handle({ callbacks, tenancy, params, body }) {
      const { providerId } = await callbacks.finish({ providerId: params.provider_id, ...body }, tenancy);
      return { status: 200, body: { status: "completed", provider_id: providerId } };
    },
  }),
  route({
    id: "oauth_setup_callback",
    method: "get",
    path: "/v2/auth/setup/{provider_id}",
    params: { provider_id: z.string() },
    access: "open",
    tag,
    summary: "The callback for browsers from the installation of an app",
    description: "An updated installation only gets a page; a new one with a code completes an authentication.",
    query: {
      ...callbackQuery,
      setup_action: text("What the user did: install or update."),
      installation_id: { kind: "integer", schema: z.int().optional(), description: "The installation." },
    },
    responses: pages,
    handle({ callbacks, params, query }) {
      const { code, state, error, error_description: errorDescription, setup_action: action } = query;
      if (action === "update" && !code && !error) {
        const text = "<p>The installation was changed. You can close this window.</p>";
        return pageResponse(200, simplePage("Updated", text));
      }
      return finishOnPage(callbacks, { providerId: params.provider_id, code, state, error, errorDescription });
    },
  }),
];
