import { hash } from "node:crypto";

/** `git@host:path`, git's notation for ssh. */
const scpForm = /^(?:[^@/:\s]+@)?([^@/:\s]+):(?!\/)(.+)$/;

/**
 * The normal form of a repository's address, given as https, ssh or neither: `host/path`, the host in lower case,
 * without `.git` or a trailing slash.
 */
export function normalizeRepository(address: string): string {
  const text = address.trim();
  const plain = text.includes("://") ? text.replace(/^[a-z+]+:\/\/(?:[^@/]*@)?/i, "") : text.replace(scpForm, "$1/$2");
  const slash = plain.indexOf("/");
  const host = (slash < 0 ? plain : plain.slice(0, slash)).toLowerCase().replace(/:22$/, "");
  const path =
    slash < 0
      ? ""
      : plain
          .slice(slash)
          .replace(/\/+$/, "")
          .replace(/\.git$/, "");
  return host + path;
}

/** The normal form of a ref: the bare name of a branch, the full path of a tag. */
export function normalizeRef(ref: string): string {
  return ref.startsWith("refs/heads/") ? ref.slice("refs/heads/".length) : ref;
}

/** The commit of a ref that no push has moved, derived from repository and ref, both in normal form. */
export function unmovedCommit(repository: string, ref: string): string {
  return hash("sha1", `${repository}\n${ref}`);
}
