import { isServiceHost } from "./connection.ts";

/** What error messages advise about one kind of server. */
export interface Advice {
  /** For an error status; `undefined` where the response says enough. */
  onStatus(status: number): string | undefined;
  /** When an intermediary responded instead of the server. */
  onIntermediary(baseUrl: string): string;
  /** For a response that breaks the contract. */
  onBrokenContract(baseUrl: string): string;
}

export const controlPlaneAdvice: Advice = {
  onStatus(status) {
    if (status === 401)
      return "Check the API key: it is missing, mistyped or revoked, or belongs to another installation.";
    if (status === 403) return "Check the workspace ID, and that the API key may work in that workspace.";
    if (status === 409) return "The name is in use in this workspace.";
    if (status === 429) return "The control plane limits the request rate; try again later.";
    if (status >= 500) return "The control plane failed; try again later.";
    return undefined;
  },
  onIntermediary(baseUrl) {
    const url = new URL(baseUrl);
    if (!isServiceHost(url.hostname) && !url.pathname.endsWith("/api-host")) {
      return `The control plane of a self-hosted installation is served at /api-host: set the base URL to ${url.origin}/api-host.`;
    }
    return `Check the base URL ${baseUrl}: no control plane responds there.`;
  },
  onBrokenContract: (baseUrl) => `Check that ${baseUrl} is a control plane of this platform.`,
};

export const agentServerAdvice: Advice = {
  onStatus(status) {
    if (status === 401) return "Check that the API key belongs to the deployment's workspace.";
    if (status === 403) return "The deployment's auth handlers don't permit this to the API key.";
    if (status === 409) return "The id is in use, by something that the API key may not read.";
    if (status === 429) return "The agent server limits the request rate; try again later.";
    if (status >= 500) return "The agent server failed: read the deployment's log, then run again.";
    return undefined;
  },
  onIntermediary: (baseUrl) => `Check the deployment's URL ${baseUrl}: no agent server responds there.`,
  onBrokenContract: (baseUrl) => `Check that ${baseUrl} is an agent server of this platform.`,
};
