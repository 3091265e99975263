import type { ListToolsResult, Tool } from "@modelcontextprotocol/sdk/types.js";
import { ErrorCode } from "@modelcontextprotocol/sdk/types.js";
import { HttpError } from "../../kit/http/http-error.ts";
import { ProtocolError } from "../../kit/mcp/protocol-error.ts";
import { assistantSearch } from "../assistants/assistant-schemas.ts";
import type { Assistants } from "../assistants/assistants.ts";
import { byBody, byPath } from "../auth/access-rule.ts";
import { type Fields, GraphError } from "../engine/contract.ts";
import type { AssistantFilter } from "../persistence/assistant-table.ts";
import type { AssistantRecord } from "../persistence/records.ts";
import type { ProtocolHost } from "../protocol-host.ts";

/** Maximum number of tools on a page. */
const pageSize = 100;

const oldestFirst = { by: "created_at", direction: "asc" } as const;
const search = { access: byBody("assistants", "search"), body: { schema: assistantSearch, required: false } };
const read = { access: byPath("assistants", "read") };

/**
 * The assistants of an agent server as tools: each has the name of its assistant or, where an older one has the same,
 * the assistant's id.
 */
export class AssistantTools {
  readonly #host: ProtocolHost;

  constructor(host: ProtocolHost) {
    this.#host = host;
  }

  /** One page of tools. @throws {ProtocolError} for an invalid cursor; {HttpError} where auth handlers refuse. */
  async list(cursor = "0"): Promise<ListToolsResult> {
    if (!/^\d{1,9}$/.test(cursor)) throw new ProtocolError(ErrorCode.InvalidParams, "The cursor is invalid.");
    const { assistants, filter } = await this.#visible();
    const offset = Number(cursor);
    const { rows, total } = assistants.search(filter, oldestFirst, pageSize, offset);
    const tools = await Promise.all(
      rows.map((assistant) => {
        const isOldest = oldestNamed(assistant.name, assistants, filter)?.assistant_id === assistant.assistant_id;
        return this.#toolOf(assistant, isOldest ? assistant.name : assistant.assistant_id);
      }),
    );
    const next = offset + rows.length;
    return {
      tools: tools.filter((tool) => tool !== undefined),
      ...(next < total ? { nextCursor: String(next) } : {}),
    };
  }

  /** The assistant behind a tool. @throws {ProtocolError} for an unknown tool; {HttpError} where auth handlers refuse. */
  async find(name: string): Promise<AssistantRecord> {
    const { assistants, filter } = await this.#visible();
    const found = oldestNamed(name, assistants, filter) ?? unlessMissing(() => assistants.find(name));
    if (!found) throw new ProtocolError(ErrorCode.InvalidParams, `Unknown tool: ${name}`);
    return found;
  }

  async #visible(): Promise<{ assistants: Assistants; filter: AssistantFilter }> {
    const { services, request } = await this.#host.permit(search, { body: assistantSearch.parse({}) });
    const { graph_id, name, metadata } = request.body as AssistantFilter;
    return { assistants: services.assistants, filter: { graph_id, name, metadata } };
  }

  /** `undefined` for an assistant that the caller may not read, or whose graph the revision doesn't have. */
  async #toolOf({ assistant_id: id, description }: AssistantRecord, name: string): Promise<Tool | undefined> {
    try {
      const { services } = await this.#host.permit(read, { params: { assistant_id: id } });
      const { graph, settings } = services.assistants.graphOf(id);
      const { input_schema: schema } = await graph.schemas(settings);
      return { name, ...(description ? { description } : {}), inputSchema: objectSchema(schema) };
    } catch (error) {
      if (error instanceof HttpError && error.status < 500) return undefined;
      if (!(error instanceof GraphError)) throw error;
      this.#host.agent.warn(`The tool ${name} is listed without the schema of its input: ${error.message}`);
      return { name, ...(description ? { description } : {}), inputSchema: objectSchema({}) };
    }
  }
}

function oldestNamed(name: string, assistants: Assistants, filter: AssistantFilter): AssistantRecord | undefined {
  return assistants.search({ ...filter, exactName: name }, oldestFirst, 1, 0).rows[0];
}

function unlessMissing<Found>(find: () => Found): Found | undefined {
  try {
    return find();
  } catch (error) {
    if (error instanceof HttpError && error.status === 404) return undefined;
    throw error;
  }
}

/** The schema of a tool's arguments, which are always an object. */
function objectSchema(schema: Fields): Tool["inputSchema"] {
  return { ...schema, type: "object" };
}
