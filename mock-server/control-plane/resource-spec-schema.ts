import { z } from "zod";
import { resourceSpecSchema } from "../../core/client/wire/deployments.ts";

const text = z.string().nullish();
const number = z.number().nullish();
const integer = z.int().nullish();
const anything = z.looseObject({}).nullish();

const volumeMountSchema = z.looseObject({
  name: z.string().optional(),
  mountPath: z.string().optional(),
  subPath: text,
  mountPropagation: text,
  readOnly: z.boolean().nullish(),
  subPathExpr: text,
});

const volumeSchema = z.looseObject({
  name: z.string().optional(),
  configMap: anything,
  secret: anything,
  emptyDir: anything,
  persistentVolumeClaim: anything,
  nfs: anything,
  projected: anything,
  downwardAPI: anything,
  csi: anything,
});

const environmentVariableSchema = z.looseObject({ name: z.string(), value: text, valueFrom: anything });

const requirementsSchema = z.looseObject({
  limits: z.record(z.string(), z.string()).nullish(),
  requests: z.record(z.string(), z.string()).nullish(),
});

const containerSchema = z.looseObject({
  name: z.string(),
  image: z.string(),
  imagePullPolicy: text,
  command: z.array(z.string()).nullish(),
  args: z.array(z.string()).nullish(),
  workingDir: text,
  env: z.array(environmentVariableSchema).nullish(),
  envFrom: z.array(z.looseObject({})).nullish(),
  resources: requirementsSchema.nullish(),
  volumeMounts: z.array(volumeMountSchema).nullish(),
  securityContext: anything,
  restartPolicy: text,
});

/**
 * The compute of a deployment with every field that a server checks: those of the client's schema, and those that it
 * passes through.
 */
export const serverResourceSpecSchema = resourceSpecSchema.extend({
  orchestrator_cpu: number,
  orchestrator_cpu_limit: number,
  orchestrator_memory_mb: integer,
  orchestrator_memory_limit_mb: integer,
  orchestrator_min_scale: integer,
  orchestrator_max_scale: integer,
  executor_cpu: number,
  executor_cpu_limit: number,
  executor_memory_mb: integer,
  executor_memory_limit_mb: integer,
  image_pull_secrets: z.array(z.looseObject({ name: z.string() })).nullish(),
  volumes: z.array(volumeSchema).nullish(),
  volume_mounts: z.array(volumeMountSchema).nullish(),
  init_containers: z.array(containerSchema).nullish(),
  sidecars: z.array(containerSchema).nullish(),
});
