import { hash } from "node:crypto";
import type { CommitRepository } from "../state/repositories.ts";

/** `git@host:path`, which is how git writes an address without a scheme. */
const scpForm = /^(?:[^@/:\s]+@)?([^@/:\s]+):(?!\/)(.+)$/;

/** What is worked out again and again for the same few values, in place of each time. */
function remembering(workOut: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    let result = known.get(text);
    if (result === undefined) {
      result = workOut(text);
      if (known.size >= mostRemembered) known.clear();
      known.set(text, result);
    }
    return result;
  };
}
const mostRemembered = 1000;

/** One name for all spellings of a repository's address, by https, ssh or neither: `host/path`, the host in lower case, neither `.git` nor a slash at the end. */
export const normalizeRepository = remembering((address) => {
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
});

/** A branch by its bare name, a tag by its full path. */
export function normalizeRef(ref: string): string {
  return ref.startsWith("refs/heads/") ? ref.slice("refs/heads/".length) : ref;
}

/** The commit that a ref points to: where a push moved it, else one that repository and ref alone determine. */
export async function commitOf(commits: CommitRepository, repositoryUrl: string, ref: string): Promise<string> {
  const repository = normalizeRepository(repositoryUrl);
  const name = normalizeRef(ref);
  return (await commits.get(repository, name)) ?? derivedCommit(`${repository}\n${name}`);
}

/** The commit of a ref that no push has moved, by repository and ref. */
const derivedCommit = remembering((key) => hash("sha1", key));
