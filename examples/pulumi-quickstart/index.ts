import * as pulumi from "@pulumi/pulumi";
import { Deployment } from "graphdeploy";

const config = new pulumi.Config();

const agent = new Deployment("agent", {
  name: "support-agent",
  sourceConfig: {
    repoUrl: "https://github.com/acme/support-agent",
    integrationId: config.get("integrationId"),
    deploymentType: "dev",
  },
  sourceRevisionConfig: {
    repoRef: config.get("ref") ?? "main",
    graphConfigPath: "graph.json",
  },
  env: { LOG_LEVEL: "info" },
  secrets: { MODEL_API_KEY: config.requireSecret("modelApiKey") },
});

export const id = agent.id;
export const url = agent.url;
export const revision = agent.latestRevisionId;
export const status = agent.revisionStatus;
