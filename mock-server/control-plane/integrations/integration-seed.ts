import { z } from "zod";
import { underWireNames } from "../../kit/wire-names.ts";
import type { Integrations } from "../store/integrations.ts";
import type { IntegrationRecord } from "../store/records.ts";

/** The integration of a server without configured ones: every workspace has it, and it accepts any repository. */
export const defaultIntegrationId = "00000000-0000-4000-8000-000000000010";

const defaultIntegration: IntegrationRecord = {
  id: defaultIntegrationId,
  kind: "github",
  tenantId: null,
  name: "default",
  installationId: 1,
  repositories: [{ id: 1, url: "https://github.com/example/agent", defaultBranch: "main" }],
  acceptsAnyRepository: true,
};

const repositorySeedSchema = z.strictObject({
  url: z.url({ protocol: /^https?$/ }),
  /** @default "main" */
  defaultBranch: z.string().min(1).optional(),
});

/** A configured integration. */
export const integrationSeedSchema = z.strictObject({
  id: z.guid(),
  name: z.string().min(1),
  /** @default "github" */
  kind: z.enum(["github", "forge"]).optional(),
  /** The workspace that has it. Default: every workspace. */
  tenantId: z.string().min(1).optional(),
  installationId: z.int().optional(),
  repositories: z.array(repositorySeedSchema).optional(),
  /** Lets deployments use repositories that aren't listed. @default false */
  anyRepository: z.boolean().optional(),
});
export type IntegrationSeed = z.input<typeof integrationSeedSchema>;

/** A configured integration with wire names. */
export const wireIntegrationSeedSchema = underWireNames(
  integrationSeedSchema.extend({ repositories: z.array(underWireNames(repositorySeedSchema)).optional() }),
);

/** Adds the default integration if there are no integrations. */
export function ensureDefaultIntegration(integrations: Integrations): void {
  if (!integrations.hasAny({})) integrations.put(defaultIntegration);
}

/** Adds integrations and removes the default one. */
export function seedIntegrations(integrations: Integrations, seeds: readonly IntegrationSeed[]): void {
  if (seeds.length > 0) integrations.remove(defaultIntegrationId);
  for (const [index, seed] of seeds.entries()) {
    integrations.put({
      id: seed.id.toLowerCase(),
      kind: seed.kind ?? "github",
      tenantId: seed.tenantId ?? null,
      name: seed.name,
      installationId: seed.installationId ?? index + 1,
      repositories: (seed.repositories ?? []).map(({ url, defaultBranch = "main" }, position) => ({
        id: (index + 1) * 1000 + position,
        url,
        defaultBranch,
      })),
      acceptsAnyRepository: seed.anyRepository ?? false,
    });
  }
}
