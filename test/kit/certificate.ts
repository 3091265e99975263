import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";

/** Whether this machine can create certificates. */
export const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

/** Paths of PEM files. */
export interface CertificateFiles {
  key: string;
  certificate: string;
}

/** Creates a self-signed certificate for some host names, deleted at the end of the test. */
export async function certificateFor(hosts: readonly string[]): Promise<CertificateFiles> {
  const folder = await mkdtemp(join(tmpdir(), "graphdeploy-tls-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const names = `subjectAltName=${hosts.map((host) => `DNS:${host}`).join(",")}`;
  const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];
  const files = ["-keyout", key, "-out", certificate];
  const made = spawnSync("openssl", ["req", ...kind, ...files, "-subj", "/CN=test", "-addext", names]);
  expect(made.status, made.stderr.toString()).toBe(0);
  return { key, certificate };
}
