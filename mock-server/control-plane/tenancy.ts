/** The control plane of a resource: `cloud` at the root, `self-hosted` under `/api-host`. */
export type Edition = "cloud" | "self-hosted";

/** A workspace on the control plane of one edition. */
export interface Tenancy {
  edition: Edition;
  tenantId: string;
}

/** The paths at which the control planes are served. */
export const editionPrefixes: Record<Edition, string> = { cloud: "", "self-hosted": "/api-host" };
