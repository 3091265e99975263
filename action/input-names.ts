/**
 * The inputs, or environment variables, behind the paths that the core names in its declaration and settings. There is
 * none for a source's tarball.
 */
export const inputsByPath: Readonly<Record<string, string>> = {
  apiKey: "api-key",
  workspaceId: "workspace-id",
  region: "region",
  baseUrl: "base-url",
  dialect: "dialect",
  agentHosts: "GRAPHDEPLOY_AGENT_HOSTS",
  allowHttpHosts: "GRAPHDEPLOY_ALLOW_HTTP_HOSTS",
  name: "name",
  displayName: "display-name",
  source: "source",
  env: "env",
  secrets: "secrets",
  secretReferences: "secret-references",
  "sourceConfig.repoUrl": "repo-url",
  "sourceConfig.integrationId": "integration-id",
  "sourceConfig.deploymentType": "deployment-type",
  "sourceConfig.buildOnPush": "build-on-push",
  "sourceConfig.customUrl": "custom-url",
  "sourceConfig.resourceSpec": "resource-spec",
  "sourceConfig.listenerId": "listener-id",
  "sourceConfig.listenerConfig.k8sNamespace": "k8s-namespace",
  "sourceConfig.installCommand": "install-command",
  "sourceConfig.buildCommand": "build-command",
  "sourceRevisionConfig.repoRef": "ref",
  "sourceRevisionConfig.graphConfigPath": "graph-config-path",
  "sourceRevisionConfig.imageUri": "image-uri",
};

/** Paths that can't be words of a sentence, longest first. */
const paths = Object.keys(inputsByPath)
  .filter((path) => /[A-Z.]/.test(path))
  .sort((a, b) => b.length - a.length);
const anyPath = new RegExp(`(?<![\\w.])(?:${paths.map((path) => path.replaceAll(".", "\\.")).join("|")})(?!\\w)`, "g");

/** The input of a path, and the rest of the path; `undefined` if it has no input. */
export function inputOf(path: readonly (string | number)[]): { input: string; below: string } | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const input = inputsByPath[path.slice(0, length).join(".")];
    if (input !== undefined) return { input, below: path.slice(length).join(".") };
  }
  return undefined;
}

/** A message of the core, with names of inputs instead of paths. */
export function inInputNames(message: string): string {
  return message.replace(anyPath, (path) => inputsByPath[path] ?? path);
}

/** The name of a path's input for messages, or the path if it has no input. */
export function shownPath(path: string): string {
  const found = inputOf(path.split("."));
  if (found === undefined) return path;
  return found.below === "" ? found.input : `${found.input}.${found.below}`;
}
