import type { MockServer } from "../../../mock-server/server.ts";
import { apiKey, repositoryUrl } from "./agents.ts";
import { type ActionOptions, runAction } from "./run-action.ts";
import type { StepOptions } from "./step.ts";

/** A file of two deployments; the second waits for the first and has a secret. */
export const agentsFile = `version: 1
defaults:
  source: github
  source_config: { repo_url: ${repositoryUrl}, integration_id: 1b2f8a90-5f0e-4a6e-8a31-2f1d3c4b5a69 }
  source_revision_config: { repo_ref: "\${GIT_REF:-main}", graph_config_path: graph.json }
deployments:
  search: {}
  support:
    depends_on: [search]
    secrets: { TOKEN: "\${TOKEN}" }
environments:
  staging:
    deployments: { search: { name: search-staging }, support: { name: support-staging } }
previews: { environment: staging, deployments: [search] }
`;

export interface FileStep extends Omit<StepOptions, "inputs"> {
  inputs?: Readonly<Record<string, string>>;
  /** Text of `graphdeploy.yaml`. */
  file?: string;
}

/** The options of a step that applies a file of the checkout. */
export function fileStep(mock: MockServer, { inputs, file = agentsFile, files, env, ...step }: FileStep): StepOptions {
  return {
    ...step,
    env: { TOKEN: "token-of-the-agent", ...env },
    files: files ?? { "graphdeploy.yaml": file },
    inputs: { "api-key": apiKey, "base-url": mock.url, config: "graphdeploy.yaml", ...inputs },
  };
}

/** Runs the Action with a file in this process. */
export function runFile(mock: MockServer, { onOutput, ...step }: FileStep & Pick<ActionOptions, "onOutput">) {
  return runAction({ ...fileStep(mock, step), ...(onOutput === undefined ? {} : { onOutput }) });
}

/** A push to main. */
export const push = (sha: string) => ({ name: "push", ref: "refs/heads/main", sha });
