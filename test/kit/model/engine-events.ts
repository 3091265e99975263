import { readFile } from "node:fs/promises";
import type { Operation } from "../pulumi/engine/execution.ts";
import type { Result } from "./driver.ts";

/** One event of the real engine, with the fields that the model uses. */
interface EngineEvent {
  readonly resourcePreEvent?: { readonly metadata: StepMetadata };
  readonly diagnosticEvent?: { readonly urn?: string; readonly message: string; readonly severity: string };
}

interface StepMetadata {
  readonly op: string;
  readonly urn: string;
  readonly type: string;
  readonly old?: { readonly id?: string } | null;
  readonly new?: { readonly id?: string } | null;
}

const operations: Readonly<Record<string, Operation>> = {
  same: "same",
  create: "create",
  update: "update",
  replace: "replace",
  "create-replacement": "create-replacement",
  delete: "delete",
  "delete-replaced": "delete-replaced",
  "remove-pending-replace": "remove-pending-replace",
  read: "read",
  refresh: "refresh",
  import: "import",
};

/** The steps and messages of a command, from its event log; empty if it ended before any. */
export async function readEvents(file: string): Promise<Pick<Result, "steps" | "warnings"> & { errors: string[] }> {
  const text = await readFile(file, "utf8").catch(() => "");
  const events = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as EngineEvent);
  const steps = events
    .flatMap(({ resourcePreEvent }) => (resourcePreEvent === undefined ? [] : [resourcePreEvent.metadata]))
    .filter(({ type }) => !type.startsWith("pulumi:"))
    .map(({ op, urn, old, new: now }) => ({ operation: operations[op] ?? "same", urn, id: old?.id ?? now?.id ?? "" }));
  const said = events.flatMap(({ diagnosticEvent }) => (diagnosticEvent === undefined ? [] : [diagnosticEvent]));
  const messages = (severity: string) =>
    said
      .filter((line) => line.severity === severity)
      .map(({ urn = "", message }) => ({ urn, message: plainText(message) }));
  return {
    steps,
    // The CLI's own messages belong to no resource.
    warnings: messages("warning").filter(({ urn }) => urn !== ""),
    errors: messages("error").map(({ message }) => message),
  };
}

/** Removes colour markup. */
function plainText(message: string): string {
  return message.replaceAll(/<\{%.*?%\}>/g, "");
}
