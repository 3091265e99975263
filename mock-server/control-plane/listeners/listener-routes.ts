import { ruleBroken, validationFailed } from "../common-responses.ts";
import { pageOf, pagingParameters } from "../paging.ts";
import { route } from "../route.ts";
import { errorDetail } from "../schemas.ts";
import {
  listenerCreateRequest,
  listenerPatchRequest,
  listenerResponse,
  listenersListResponse,
} from "./listener-schemas.ts";
import { viewListener } from "./listener-service.ts";

const tag = "Listeners (v2)";
const forbidden = { description: "Listeners are for self-hosted enterprise organizations.", schema: errorDetail };
const notFound = { description: "No such listener in this workspace.", schema: errorDetail };

export const listenerRoutes = [
  route({
    id: "list_listeners",
    method: "get",
    path: "/v2/listeners",
    tag,
    summary: "List listeners, newest first",
    query: pagingParameters,
    responses: { 200: { description: "One page of listeners.", schema: listenersListResponse }, 422: validationFailed },
    handle({ listeners, query }) {
      return pageOf(listeners.list(query).map(viewListener), query);
    },
  }),
  route({
    id: "create_listener",
    method: "post",
    path: "/v2/listeners",
    tag,
    summary: "Create a listener",
    body: { schema: listenerCreateRequest, required: true },
    responses: {
      201: { description: "The new listener.", schema: listenerResponse },
      400: ruleBroken,
      403: forbidden,
      409: { description: "The workspace has a listener with this compute ID.", schema: errorDetail },
      422: validationFailed,
    },
    handle({ listeners, body }) {
      return { status: 201, body: viewListener(listeners.create(body)) };
    },
  }),
  route({
    id: "get_listener",
    method: "get",
    path: "/v2/listeners/{listener_id}",
    tag,
    summary: "Read a listener",
    responses: {
      200: { description: "The listener.", schema: listenerResponse },
      403: forbidden,
      404: notFound,
      422: validationFailed,
    },
    handle({ listeners, params }) {
      return { status: 200, body: viewListener(listeners.find(params.listener_id)) };
    },
  }),
  route({
    id: "patch_listener",
    method: "patch",
    path: "/v2/listeners/{listener_id}",
    tag,
    summary: "Change a listener",
    body: { schema: listenerPatchRequest, required: true },
    responses: {
      200: { description: "The changed listener.", schema: listenerResponse },
      400: ruleBroken,
      403: forbidden,
      404: notFound,
      422: validationFailed,
    },
    handle({ listeners, params, body }) {
      return { status: 200, body: viewListener(listeners.patch(params.listener_id, body)) };
    },
  }),
  route({
    id: "delete_listener",
    method: "delete",
    path: "/v2/listeners/{listener_id}",
    tag,
    summary: "Delete a listener that no deployment uses",
    responses: {
      204: { description: "The listener was deleted." },
      403: forbidden,
      404: notFound,
      409: { description: "A deployment uses the listener.", schema: errorDetail },
      422: validationFailed,
    },
    handle({ listeners, params }) {
      listeners.delete(params.listener_id);
      return { status: 204 };
    },
  }),
];
