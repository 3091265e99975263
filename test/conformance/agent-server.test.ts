import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { agentServerRoutes } from "../../mock-server/agent-server/agent-app.ts";
import { agentDocument } from "../../mock-server/agent-server/agent-document.ts";
import { globMatcher } from "../../mock-server/glob.ts";
import { type Digest, digestOf, type OpenApiFile } from "./digest.ts";

interface Deviation {
  facts: string;
  reference: string | null;
  ours: string | null;
  reason: string;
}

const read = <Content>(name: string) => JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8")) as Content;
const reference = read<Digest>("agent-server.digest.json");
const deviations = read<Deviation[]>("agent-server-deviations.json");
const groups = ["/assistants", "/threads", "/runs", "/store", "/ok", "/info", "/metrics"];
const ours = digestOf(agentDocument(agentServerRoutes) as unknown as OpenApiFile, groups);

const differing = [...new Set([...Object.keys(reference), ...Object.keys(ours)])].filter(
  (fact) => reference[fact] !== ours[fact],
);

function explains(deviation: Deviation, fact: string): boolean {
  const isSame = (expected: string | null, value: string | undefined) =>
    expected === null ? value === undefined : value !== undefined && globMatcher(expected)(value);
  return (
    globMatcher(deviation.facts)(fact) &&
    isSame(deviation.reference, reference[fact]) &&
    isSame(deviation.ours, ours[fact])
  );
}

test("what the agent server documents differs from the reference in the listed facts only", () => {
  const unlisted = differing.filter((fact) => !deviations.some((deviation) => explains(deviation, fact)));
  expect(unlisted.map((fact) => ({ fact, reference: reference[fact], ours: ours[fact] }))).toEqual([]);
});

test("every operation of the reference is there, but for event streaming by commands", () => {
  const operations = (digest: Digest) => new Set(Object.keys(digest).map((fact) => fact.split(" ", 2).join(" ")));
  const own = operations(ours);
  const wanted = [...operations(reference)].filter((name) => name !== "info version");
  expect(wanted).toHaveLength(58);
  expect(wanted.filter((name) => !own.has(name))).toEqual([
    "POST /threads/{thread_id}/commands",
    "POST /threads/{thread_id}/stream/events",
  ]);
});

test("every listed deviation is one", () => {
  const stale = deviations.filter((deviation) => !differing.some((fact) => explains(deviation, fact)));
  expect(stale).toEqual([]);
});

test("every listed deviation has a reason", () => {
  expect(deviations.filter(({ reason }) => reason.trim() === "")).toEqual([]);
});
