import type * as pulumi from "@pulumi/pulumi";

/**
 * Compute of a deployment; undeclared fields have the platform's values. Memory is in MB, storage in GiB, `cpu` in
 * cores.
 */
export interface ResourceSpecArgs {
  minScale?: pulumi.Input<number>;
  maxScale?: pulumi.Input<number>;
  /** Cores of one replica, 0.1 to 8. */
  cpu?: pulumi.Input<number>;
  /** Cores, 0.1 to 16. */
  cpuLimit?: pulumi.Input<number>;
  memoryMb?: pulumi.Input<number>;
  memoryLimitMb?: pulumi.Input<number>;
  queueMinScale?: pulumi.Input<number>;
  queueMaxScale?: pulumi.Input<number>;
  /** Cores of one queue worker, 0.1 to 8. */
  queueCpu?: pulumi.Input<number>;
  /** Cores, 0.1 to 16. */
  queueCpuLimit?: pulumi.Input<number>;
  queueMemoryMb?: pulumi.Input<number>;
  queueMemoryLimitMb?: pulumi.Input<number>;
  /** Cores, 0.1 to 8. */
  redisCpu?: pulumi.Input<number>;
  /** Cores, 0.1 to 16. */
  redisCpuLimit?: pulumi.Input<number>;
  redisMemoryMb?: pulumi.Input<number>;
  redisMemoryLimitMb?: pulumi.Input<number>;
  dbCpu?: pulumi.Input<number>;
  dbCpuLimit?: pulumi.Input<number>;
  dbMemoryMb?: pulumi.Input<number>;
  dbMemoryLimitMb?: pulumi.Input<number>;
  dbStorageGi?: pulumi.Input<number>;
  dbMaxConnections?: pulumi.Input<number>;
  labels?: pulumi.Input<Record<string, pulumi.Input<string>>>;
  annotations?: pulumi.Input<Record<string, pulumi.Input<string>>>;
  serviceAccountName?: pulumi.Input<string>;
  /** Any other field of the platform, in camelCase. */
  [field: string]: unknown;
}
