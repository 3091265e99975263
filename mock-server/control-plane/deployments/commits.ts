import { hash } from "node:crypto";

/** `git@host:path`, which is how git writes an address without a scheme. */
const scpForm = /^(?:[^@/:\s]+@)?([^@/:\s]+):(?!\/)(.+)$/;

/** One name for all spellings of a repository's address, by https, ssh or neither: `host/path`, the host in lower case, neither `.git` nor a slash at the end. */
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

/** A branch by its bare name, a tag by its full path. */
export function normalizeRef(ref: string): string {
  return ref.startsWith("refs/heads/") ? ref.slice("refs/heads/".length) : ref;
}

/** The commit of a ref that no push has moved: the same one always, derived from repository and ref alone. Both are in their normal forms. */
export function unmovedCommit(repository: string, ref: string): string {
  return hash("sha1", `${repository}\n${ref}`);
}
