/**
 * Why this package doesn't run on a version of Node.js, in one sentence; `undefined` when it does. The minimum is
 * `engines` of package.json.
 */
export function nodeVersionProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 19)) return undefined;
  return `graphdeploy needs Node.js 22.19 or newer; this is ${version}.`;
}
