import * as pulumi from "@pulumi/pulumi";
import { DeploymentsFromFile } from "graphdeploy";

const config = new pulumi.Config();

const agents = new DeploymentsFromFile("agents", {
  environment: pulumi.getStack(),
  variables: { MODEL_API_KEY: config.requireSecret("modelApiKey") },
});

export const { urls } = agents;
