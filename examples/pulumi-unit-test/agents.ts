import * as pulumi from "@pulumi/pulumi";
import { Deployment } from "graphdeploy";

/** A planner and the worker that it calls. */
export class Agents extends pulumi.ComponentResource {
  readonly worker: Deployment;
  readonly planner: Deployment;

  constructor(name: string, ref: string, options?: pulumi.ComponentResourceOptions) {
    super("acme:agents:Agents", name, {}, options);
    const source = (graphConfigPath: string) => ({
      sourceConfig: { repoUrl: "https://github.com/acme/agents" },
      sourceRevisionConfig: { repoRef: ref, graphConfigPath },
    });
    this.worker = new Deployment(
      `${name}-worker`,
      { name: `${name}-worker`, ...source("worker/graph.json") },
      { parent: this },
    );
    this.planner = new Deployment(
      `${name}-planner`,
      { name: `${name}-planner`, ...source("planner/graph.json"), env: { WORKER_URL: this.worker.url } },
      { parent: this },
    );
    this.registerOutputs();
  }
}
