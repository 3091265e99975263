import { hash } from "node:crypto";

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

/** The commits of refs that no push has moved, by repository and ref. */
const derivedCommits = new Map<string, Map<string, string>>();

/** The commit of a ref that no push has moved: the same one always, told by repository and ref alone. Both are in their normal forms. */
export function unmovedCommit(repository: string, ref: string): string {
  const known = derivedCommits.get(repository)?.get(ref);
  if (known !== undefined) return known;
  const commit = hash("sha1", `${repository}\n${ref}`);
  remember(repository, ref, commit);
  return commit;
}

function remember(repository: string, ref: string, commit: string): void {
  const refs = derivedCommits.get(repository) ?? new Map<string, string>();
  if (derivedCommits.size >= mostRemembered) derivedCommits.clear();
  if (refs.size >= mostRemembered) refs.clear();
  derivedCommits.set(repository, refs.set(ref, commit));
}
