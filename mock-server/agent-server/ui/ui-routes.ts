import { z } from "zod";
import { HttpError } from "../../kit/http/http-error.ts";
import { agentRoute, assistantIdParameter } from "../agent-route.ts";
import { errorResponse, invalid, notFound } from "../agent-schemas.ts";
import { type AccessRule, byPath, needsUserOnly } from "../auth/access-rule.ts";
import { componentPage, fileType } from "./component-page.ts";

const tag = "Generative UI";
const unbundled = { description: "The project's components can't be bundled.", schema: errorResponse };
const readAssistant = byPath("assistants", "read");

/** Whoever may run a default assistant, which is everybody, may show its components. */
const mayShow: AccessRule = async (request, access) => {
  const { assistant_id: id = "" } = request.params;
  return access.isDefaultAssistant(access.assistantIdOf(id)) ? undefined : readAssistant(request, access);
};

export const uiRoutes = [
  agentRoute({
    id: "show_component",
    access: mayShow,
    method: "post",
    path: "/ui/{assistant_id}",
    tag,
    summary: "Get the elements that load a component",
    description: "The client puts them into its page, with the id of an element in the place of `{{shadowRootId}}`.",
    params: { assistant_id: assistantIdParameter },
    body: { schema: z.object({ name: z.string() }), required: true },
    responses: {
      200: { description: "Elements of HTML.", schema: z.string(), mediaType: "text/html" },
      404: notFound,
      422: invalid,
      500: unbundled,
    },
    async handle({ assistants, host, params, body }) {
      const id = params.assistant_id as string;
      const name = host.ui.has(id) ? id : assistants.find(id).graph_id;
      const bundle = host.ui.get(name);
      if (!bundle) throw new HttpError(404, `The configuration file has no components for ${name} (ui).`);
      if (bundle.problem !== null) throw new HttpError(500, bundle.problem);
      const content = componentPage(host.baseUrl(), name, bundle.files, body.name);
      return { status: 200, content, headers: { "content-type": "text/html; charset=utf-8" } };
    },
  }),
  agentRoute({
    id: "read_component_file",
    access: needsUserOnly,
    method: "get",
    path: "/ui/{name}/{file}",
    tag,
    summary: "Load a file of components",
    params: { name: z.string(), file: z.string() },
    responses: {
      200: { description: "The file.", schema: z.string(), mediaType: "text/javascript" },
      404: notFound,
    },
    async handle({ host, params }) {
      const found = host.ui.get(params.name as string)?.files.find(({ name }) => name === params.file);
      if (!found) throw new HttpError(404, `There is no file ${params.file} of ${params.name}.`);
      return { status: 200, content: found.content, headers: { "content-type": fileType(found.name) } };
    },
  }),
];
