import { execFile } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { promisify } from "node:util";
import { ConfigError } from "../core/client/errors.ts";
import type { FileIdentity } from "../core/reconcile/file/owner.ts";
import type { Environment } from "../core/settings.ts";

const run = promisify(execFile);

/** How long Git may take, in milliseconds. It only reads its configuration. */
const gitTimeoutMs = 10_000;

/** Where a file lies: its repository, also as a URL, and its path there. */
export interface FileLocation extends Pick<FileIdentity, "repository" | "path"> {
  repositoryUrl: string;
}

/**
 * The repository of a file and its path from the root of it. Git is optional: in a workflow the repository stands in the
 * environment.
 * @param given `owner/name`, and the root
 * @throws {@link ConfigError} when nothing names the repository
 */
export async function locateFile(
  file: string,
  { repository: given, root: givenRoot }: { repository?: string; root?: string },
  env: Environment,
): Promise<FileLocation> {
  const folder = realpathSync(dirname(resolve(file)));
  const root = givenRoot === undefined ? checkoutAbove(folder) : within(folder, givenRoot);
  const known = root ?? (env.GITHUB_WORKSPACE ? within(folder, env.GITHUB_WORKSPACE) : undefined);
  if (known === undefined) {
    throw new ConfigError(
      `The root of the repository of ${file} isn't known: ${givenRoot === undefined ? "no folder above it has a .git" : "it isn't in the given root"}.`,
      {
        path: "repository",
        hint: "Pass --root <folder>. The path of the file from there is part of the ownership marker of each deployment.",
      },
    );
  }
  const path = relative(known, join(folder, basename(file)))
    .split(sep)
    .join("/");
  const named = given ?? (env.GITHUB_REPOSITORY || undefined);
  if (named !== undefined) {
    return { repository: named, path, repositoryUrl: `${env.GITHUB_SERVER_URL || "https://github.com"}/${named}` };
  }
  const remote = await originOf(folder);
  const found = remote === undefined ? undefined : parseRemote(remote);
  if (found === undefined) {
    const why = remote === undefined ? "there is no remote named origin" : "the remote origin isn't on a host";
    throw new ConfigError(`The repository of ${file} isn't known: GITHUB_REPOSITORY isn't set, and ${why}.`, {
      path: "repository",
      hint: "Pass --repository owner/name. It is part of the ownership marker of each deployment.",
    });
  }
  return { ...found, path };
}

/** The repository of a remote's address, over https, over ssh, or as `git@host:owner/name`; user names are left out. */
export function parseRemote(remote: string): Omit<FileLocation, "path"> | undefined {
  const short = /^(?:[^@/:]+@)?([\w.-]{2,}):(?!\/\/)(.+)$/.exec(remote);
  const url = short === null ? URL.parse(remote) : URL.parse(`https://${short[1]}/${short[2]?.replace(/^\/+/, "")}`);
  if (url === null || url.host === "" || url.protocol === "file:") return undefined;
  const repository = decoded(url.pathname)
    .replace(/^\/+|\/+$/g, "")
    .replace(/\.git$/, "");
  if (repository === "") return undefined;
  // A port of ssh is none of https.
  const host = url.protocol === "http:" || url.protocol === "https:" ? url.host : url.hostname;
  return { repository, repositoryUrl: `https://${host}/${repository}` };
}

function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** The address of the remote `origin`; `undefined` where there is none, or no Git. */
async function originOf(folder: string): Promise<string | undefined> {
  try {
    // A hook of Git sets variables such as GIT_DIR, which may name another repository.
    const variables = Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"));
    const options = { cwd: folder, timeout: gitTimeoutMs, env: Object.fromEntries(variables) };
    const { stdout } = await run("git", ["config", "--get", "remote.origin.url"], options);
    return stdout.trim() || undefined;
  } catch {
    return undefined;
  }
}

/**
 * The root of the checkout that a folder is in. Git itself isn't asked: in a container it refuses checkouts that somebody
 * else owns.
 */
function checkoutAbove(folder: string): string | undefined {
  if (existsSync(join(folder, ".git"))) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : checkoutAbove(parent);
}

/** The real path of a root, if the folder is in it. */
function within(folder: string, given: string): string | undefined {
  if (!existsSync(given)) return undefined;
  const root = realpathSync(given);
  return folder === root || folder.startsWith(root + sep) ? root : undefined;
}
