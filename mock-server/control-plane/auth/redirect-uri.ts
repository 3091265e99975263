import type { Mock } from "../../mock.ts";
import type { Edition } from "../store/records.ts";

/** Where a provider sends the browser back to, on the control plane of one edition. */
export function redirectUriOf(mock: Mock, edition: Edition, providerId: string): string {
  const prefix = edition === "cloud" ? "" : "/api-host";
  return `${mock.publicUrl()}${prefix}/v2/auth/callback/${encodeURIComponent(providerId)}`;
}
