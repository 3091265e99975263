import { createHash } from "node:crypto";
import type { CommitRepository } from "../state/repositories.ts";

/** One name for all spellings of a repository's address: host in lower case, neither `.git` nor a slash at the end. */
export function normalizeRepository(url: string): string {
  const trimmed = url
    .trim()
    .replace(/\/+$/, "")
    .replace(/\.git$/, "");
  return trimmed.replace(/^([a-z]+:\/\/)?([^/]+)/i, (host) => host.toLowerCase());
}

/** A branch by its bare name, a tag by its full path. */
export function normalizeRef(ref: string): string {
  return ref.startsWith("refs/heads/") ? ref.slice("refs/heads/".length) : ref;
}

/** The commit that a ref points to: where a push moved it, else one that repository and ref alone determine. */
export async function commitOf(commits: CommitRepository, repositoryUrl: string, ref: string): Promise<string> {
  const repository = normalizeRepository(repositoryUrl);
  const name = normalizeRef(ref);
  return (await commits.get(repository, name)) ?? createHash("sha1").update(`${repository}\n${name}`).digest("hex");
}
