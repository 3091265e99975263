import fc from "fast-check";
import { expect, test } from "vitest";
import { ControlPlane } from "../../../core/client/client.ts";
import { GraphDeployError } from "../../../core/client/errors.ts";
import { Listing } from "../../../core/client/pagination.ts";
import { parseRetryAfter, retryDelayMs } from "../../../core/client/retry.ts";
import { toBothNames, toDialect, toNeutralNames } from "../../../core/client/wire/conventions.ts";
import type { Deployment, DeploymentPatchRequest } from "../../../core/client/wire/deployments.ts";
import type { DesiredDeployment } from "../../../core/declare/deployment.ts";
import { planUpdate } from "../../../core/reconcile/plan.ts";
import { Redactor, unprotectedReason } from "../../../core/redact.ts";
import { followRollout } from "../../../core/rollout/follow.ts";
import { declaration, deployment, deploymentId, revision, revisionId } from "../../kit/deployments.ts";
import { FakeClock } from "../../kit/fake-clock.ts";
import { startScriptedServer } from "../../kit/scripted-server.ts";

const word = fc.stringMatching(/^[a-z]{1,8}$/);
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const environment = fc.dictionary(fc.stringMatching(/^[A-Z]{1,4}$/), word, { minKeys: 1, maxKeys: 4 });

/** Declarations that differ only in mutable fields. */
const desired: fc.Arbitrary<DesiredDeployment> = fc
  .record({
    displayName: optional(word),
    buildOnPush: optional(fc.boolean()),
    installCommand: optional(word),
    resourceSpec: optional(fc.dictionary(fc.constantFrom("minScale", "maxScale", "memoryMb"), fc.integer({ min: 1 }))),
    repoRef: optional(word),
    graphConfigPath: optional(word),
    env: optional(environment),
  })
  .map(({ displayName, env, buildOnPush, installCommand, resourceSpec, repoRef, graphConfigPath }) =>
    declaration({
      displayName,
      env,
      sourceConfig: { ...declaration().sourceConfig, buildOnPush, installCommand, resourceSpec },
      sourceRevisionConfig: { repoRef, graphConfigPath },
    }),
  );

/** Applies a PATCH like the platform: merges single fields, replaces lists and the resource spec, and ignores null. */
function patched(observed: Deployment, patch: DeploymentPatchRequest): Deployment {
  const given = (fields: object | null | undefined) =>
    Object.fromEntries(Object.entries(fields ?? {}).filter(([, value]) => value !== null && value !== undefined));
  const { source_config, source_revision_config, secrets, ...rest } = patch;
  return {
    ...observed,
    ...given(rest),
    source_config: { ...observed.source_config, ...given(source_config) },
    source_revision_config: { ...observed.source_revision_config, ...given(source_revision_config) },
    secrets: secrets !== undefined && secrets !== null && secrets.length > 0 ? secrets : observed.secrets,
  };
}

const observedBy = (declared: DesiredDeployment) => {
  const { patch } = planUpdate(declared, deployment());
  return patch === undefined ? deployment() : patched(deployment(), patch);
};

test("applying a plan makes the next plan empty", () => {
  fc.assert(
    fc.property(desired, desired, (before, after) => {
      const observed = observedBy(before);
      const { patch } = planUpdate(after, observed);
      const reached = patch === undefined ? observed : patched(observed, patch);
      expect(planUpdate(after, reached).action).toBe("nothing");
    }),
  );
});

test("a plan never touches what isn't declared", () => {
  fc.assert(
    fc.property(desired, desired, (before, after) => {
      const patch = planUpdate(after, observedBy(before)).patch ?? {};
      if (after.env === undefined) expect(patch.secrets).toBeUndefined();
      if (after.displayName === undefined) expect(patch.display_name).toBeUndefined();
      if (after.sourceConfig?.resourceSpec === undefined) expect(patch.source_config?.resource_spec).toBeUndefined();
      if (after.sourceRevisionConfig?.repoRef === undefined) {
        expect(patch.source_revision_config?.repo_ref).toBeUndefined();
      }
    }),
  );
});

test("a merged resource spec holds everything declared and everything that others set", () => {
  fc.assert(
    fc.property(desired, desired, (before, after) => {
      const observed = observedBy(before);
      const present = (observed.source_config.resource_spec ?? {}) as Record<string, unknown>;
      const spec = planUpdate(after, observed).patch?.source_config?.resource_spec;
      if (spec !== undefined && spec !== null) {
        expect(Object.keys(spec)).toEqual(expect.arrayContaining(Object.keys(present)));
      }
    }),
  );
});

interface Item {
  id: string;
}

/** A listing, newest first, that `change` modifies before every page but the first. */
async function idsOf(items: Item[], limit: number, change: (page: number) => void): Promise<string[]> {
  let page = 0;
  const listing = new Listing<Item>(async ({ offset, limit: size }) => {
    if (page > 0) change(page);
    page += 1;
    const resources = items.slice(offset, offset + size);
    return { resources, offset: offset + resources.length };
  }, limit);
  return (await listing.all()).map(({ id }) => id);
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `item-${index}` }));

test("whatever is created in the meantime, a listing yields every earlier item exactly once", async () => {
  const inserts = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 40 }),
      fc.integer({ min: 4, max: 10 }),
      inserts,
      async (count, limit, perPage) => {
        const items = numbered(count);
        const before = items.map(({ id }) => id);
        const ids = await idsOf(items, limit, (page) => {
          for (let nth = 0; nth < (perPage[page] ?? 0); nth += 1) items.unshift({ id: `new-${page}-${nth}` });
        });
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids.filter((id) => before.includes(id))).toEqual(before);
      },
    ),
  );
});

test("deletions in the meantime hide at most as many items as were deleted", async () => {
  const deletions = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 40 }),
      fc.integer({ min: 4, max: 10 }),
      deletions,
      async (count, limit, perPage) => {
        const items = numbered(count);
        let deleted = 0;
        const ids = await idsOf(items, limit, (page) => {
          deleted += items.splice(0, perPage[page] ?? 0).length;
        });
        expect(new Set(ids).size).toBe(ids.length);
        expect(items.filter(({ id }) => !ids.includes(id)).length).toBeLessThanOrEqual(deleted);
      },
    ),
  );
});

test("a listing ends with an error if the server ignores the offset", async () => {
  const listing = new Listing<Item>(async ({ offset, limit }) => ({
    resources: numbered(limit),
    offset: offset + limit,
  }));
  await expect(listing.all()).rejects.toThrow("the server ignores `offset`");
});

test("a retry waits between half and the whole of a delay that doubles up to 20 s", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), fc.double({ min: 0, max: 0.999, noNaN: true }), (attempt, random) => {
      const full = Math.min(500 * 2 ** (attempt - 1), 20_000);
      const delay = retryDelayMs(attempt, random);
      expect(delay).toBeGreaterThanOrEqual(full / 2);
      expect(delay).toBeLessThanOrEqual(full);
    }),
  );
});

test("Retry-After is never undercut, up to two minutes", () => {
  const share = fc.double({ min: 0, max: 0.999, noNaN: true });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      share,
      fc.integer({ min: 0, max: 10_000_000 }),
      (attempt, random, retryAfterMs) => {
        const delay = retryDelayMs(attempt, random, retryAfterMs);
        expect(delay).toBeGreaterThanOrEqual(Math.min(retryAfterMs, 120_000));
        expect(delay).toBeLessThanOrEqual(120_000 * 1.25 + 100);
      },
    ),
  );
});

test("a Retry-After that is neither seconds nor a date is ignored", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const parsed = parseRetryAfter(text, Date.parse("2026-11-01T12:00:00Z"));
      if (parsed !== undefined) expect(parsed).toBeGreaterThanOrEqual(0);
    }),
  );
  for (const text of ["soon", "item 5", "-3", ""]) expect(parseRetryAfter(text, 0)).toBeUndefined();
});

test("names survive the way to the wire and back in either dialect", () => {
  const fields = fc.dictionary(
    fc.constantFrom("graph_config_path", "graph_node", "repo_ref", "image_uri", "other"),
    fc.oneof(fc.string(), fc.integer(), fc.boolean()),
  );
  fc.assert(
    fc.property(fields, (neutral) => {
      expect(toNeutralNames(toDialect(neutral, "langgraph"))).toEqual({ ...neutral });
      expect(toNeutralNames(toDialect(neutral, "graph"))).toEqual({ ...neutral });
      expect(toNeutralNames(toBothNames(neutral))).toEqual({ ...neutral });
    }),
  );
});

test("no text keeps a secret, however it is encoded", () => {
  // Without brackets and the letters of the replacement, because a secret inside "[redacted]" can't be recognized.
  const secret = fc.string({ unit: fc.constantFrom(..."XYZ019 +/=&%\"'\\\n$^*?.é漢"), minLength: 4, maxLength: 24 });
  const encode: ((value: string, lead: number) => string)[] = [
    (value) => value,
    (value) => JSON.stringify(value).slice(1, -1),
    (value) => JSON.stringify(JSON.stringify(value)).slice(1, -1),
    (value) => encodeURIComponent(value),
    (value) => new URLSearchParams({ v: value }).toString().slice(2),
    (value) => Buffer.from(value).toString("base64"),
    (value) => Buffer.from(value).toString("base64url"),
    (value, lead) =>
      Buffer.from(`${"u".repeat(lead)}${value}`)
        .toString("base64")
        .replace(/=+$/, ""),
  ];
  const anyEncoding = fc.constantFrom(...encode);
  fc.assert(
    fc.property(secret, anyEncoding, fc.integer({ min: 0, max: 2 }), (value, encoding, lead) => {
      fc.pre(unprotectedReason(value) === undefined && encoding(value, lead).length >= 4);
      const text = new Redactor([value]).text(`before ${encoding(value, lead)} after`);
      expect(text).toContain("[redacted]");
      expect(text).not.toContain(value);
    }),
    { numRuns: 500 },
  );
});

const mutated = fc.oneof(
  fc.json(),
  fc.string(),
  fc
    .tuple(fc.constantFrom("id", "status", "source", "source_revision_config", "created_at"), fc.jsonValue())
    .map(([field, value]) => JSON.stringify({ ...revision(), [field]: value })),
  fc.nat(150).map((length) => JSON.stringify(revision()).slice(0, length)),
);

test("no response body causes an error other than the client's own, or counts as a live rollout", async () => {
  let body = "";
  await using server = await startScriptedServer(({ path }) =>
    path.endsWith(revisionId) ? { body } : { body: deployment() },
  );
  await fc.assert(
    fc.asyncProperty(mutated, async (text) => {
      body = text;
      const clock = new FakeClock();
      const client = new ControlPlane({ baseUrl: server.url, apiKey: "key-of-the-test", clock, random: () => 0 });
      const limits = { timeoutMs: 30_000, switchMs: 5_000 };
      const follow = followRollout(client, { deploymentId, revisionId, limits });
      const outcome = await follow.catch((reason: unknown) => reason);
      if (outcome instanceof GraphDeployError) return;
      expect(JSON.parse(text)).toMatchObject({ status: "DEPLOYED" });
    }),
    { numRuns: 60 },
  );
});
