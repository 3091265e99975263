/** Which control plane a resource belongs to: the one at the root, or the one under `/api-host`. */
export type Edition = "cloud" | "self-hosted";

/** Whose resources they are: those of one workspace, on the control plane of one edition. */
export interface Tenancy {
  edition: Edition;
  tenantId: string;
}

/** The path under which an edition's control plane is served. */
export const editionPrefixes: Record<Edition, string> = { cloud: "", "self-hosted": "/api-host" };
