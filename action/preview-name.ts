/** The name of a preview, from its pattern. */
export function previewNameOf(pattern: string, name: string, pullRequest: number): string {
  return pattern.replaceAll("{name}", name).replaceAll("{number}", String(pullRequest));
}

/** The pull request whose preview has this name, if any. */
export function pullRequestOf(pattern: string, name: string, deploymentName: string): number | undefined {
  for (const [digits] of deploymentName.matchAll(/\d+/g)) {
    const number = Number(digits);
    if (number > 0 && previewNameOf(pattern, name, number) === deploymentName) return number;
  }
  return undefined;
}
