import { ruleBroken, validationFailed } from "../common-responses.ts";
import { pagingParameters } from "../paging.ts";
import { route } from "../route.ts";
import { errorDetail } from "../schemas.ts";
import {
  createListener,
  deleteListener,
  findListener,
  pageOfListeners,
  patchListener,
  viewListener,
} from "./listener-model.ts";
import {
  listenerCreateRequest,
  listenerPatchRequest,
  listenerResponse,
  listenersListResponse,
} from "./listener-schemas.ts";

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
    handle({ mock, scope, query }) {
      const resources = pageOfListeners(mock, scope, query).map(viewListener);
      return { status: 200, body: { resources, offset: query.offset + resources.length } };
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
      409: { description: "The workspace has a listener of this compute ID.", schema: errorDetail },
      422: validationFailed,
    },
    handle({ mock, scope, body }) {
      return { status: 201, body: viewListener(createListener(mock, scope, body)) };
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
    handle({ mock, scope, params }) {
      return { status: 200, body: viewListener(findListener(mock, scope, params.listener_id as string)) };
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
    handle({ mock, scope, params, body }) {
      const record = findListener(mock, scope, params.listener_id as string);
      return { status: 200, body: viewListener(patchListener(mock, record, body)) };
    },
  }),
  route({
    id: "delete_listener",
    method: "delete",
    path: "/v2/listeners/{listener_id}",
    tag,
    summary: "Delete a listener that no deployment uses",
    responses: {
      204: { description: "It is deleted." },
      403: forbidden,
      404: notFound,
      409: { description: "A deployment uses it.", schema: errorDetail },
      422: validationFailed,
    },
    handle({ mock, scope, params }) {
      deleteListener(mock, scope, findListener(mock, scope, params.listener_id as string));
      return { status: 204 };
    },
  }),
];
