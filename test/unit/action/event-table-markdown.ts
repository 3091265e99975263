import { documentedEvents } from "../../kit/action/documented-events.ts";
import { type EventRow, eventTable } from "../../kit/action/event-table.ts";

const columns = ["auto", "deploy", "preview", "delete"] as const;

/** The table of events as `docs/guides/action.md` shows it. Events with the same outcomes share a row. */
export function renderEventTable(): string {
  const groups = new Map<string, { events: string[]; cells: string }>();
  for (const row of eventTable) {
    const cells = columns.map((operation) => cell(row, operation)).join(" | ");
    const subject = [typesOf(row), row.when].filter((text) => text !== "").join("; ");
    const group = groups.get(`${subject}|${cells}`) ?? { events: [], cells: `${subject} | ${cells}` };
    group.events.push(`\`${row.event}\``);
    groups.set(`${subject}|${cells}`, group);
  }
  return [
    `| event | types and cases | ${columns.map((name) => `\`${name}\``).join(" | ")} |`,
    `|---|---|${columns.map(() => "---|").join("")}`,
    ...[...groups.values()].map(({ events, cells }) => `| ${events.join(", ")} | ${cells} |`),
  ].join("\n");
}

function cell({ may, withRef }: EventRow, operation: (typeof columns)[number]): string {
  const other = withRef[operation];
  return other === undefined || other === may[operation] ? may[operation] : `${may[operation]}; with \`ref\`: ${other}`;
}

/** The types by name, unless the event has no others. */
function typesOf({ event, types }: EventRow): string {
  const all = documentedEvents[event]?.types ?? [];
  if (types.length === all.length) return "";
  const missing = all.filter((type) => !types.includes(type));
  if (missing.length < types.length && missing.length > 0 && missing.length <= 2) return `all but ${names(missing)}`;
  return types.length > 6 ? "the other types" : names(types);
}

function names(types: readonly string[]): string {
  return types.map((type) => `\`${type}\``).join(", ");
}
