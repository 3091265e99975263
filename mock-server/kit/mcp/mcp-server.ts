import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { AnyObjectSchema, SchemaOutput } from "@modelcontextprotocol/sdk/server/zod-compat.js";
import { Protocol, type RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import { ErrorCode, type Notification, type Request, type Result } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { issuesOf } from "../operation/validation-issues.ts";
import { ProtocolError } from "./protocol-error.ts";

type Handler<Schema extends AnyObjectSchema> = (
  request: SchemaOutput<Schema>,
  extra: RequestHandlerExtra<Request, Notification>,
) => Result | Promise<Result>;

/** An MCP server with tools. It reports invalid parameters as such, where the library's reports an internal error. */
export class McpServer extends Server<Request, Notification, Result> {
  constructor(name: string) {
    super({ name, version: "0.1.0" }, { capabilities: { tools: {} } });
    // The library's handler would leave the HTTP request of a cancelled request without a response.
    this.removeNotificationHandler("notifications/cancelled");
  }

  override setRequestHandler<Schema extends AnyObjectSchema>(schema: Schema, handler: Handler<Schema>): void {
    const typed = schema as unknown as z.ZodObject<{ method: z.ZodLiteral<string> }>;
    const anyRequest = z.looseObject({ method: typed.shape.method });
    // The method of `Server` validates calls of tools itself, with other messages.
    Protocol.prototype.setRequestHandler.call(this, anyRequest, (request, extra) => {
      const result = typed.safeParse(request);
      if (result.success) return handler(result.data as SchemaOutput<Schema>, extra);
      const problems = issuesOf(result.error, request, []).map(({ loc, msg }) => `${loc.join(".")}: ${msg}`);
      throw new ProtocolError(ErrorCode.InvalidParams, problems.join("; "));
    });
  }

  /** Permits requests to be tasks: a server without tasks must handle them as usual, and the library's refuses them. */
  protected override assertTaskHandlerCapability(): void {}
}
