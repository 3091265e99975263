import * as pulumi from "@pulumi/pulumi";

/**
 * Refuses the resource option `import`, with advice. It can't work: Pulumi reads the resource without the program's
 * inputs, which hold the provider text, and ends with "code must be a string, not undefined".
 * @throws RunError, which Pulumi prints without a stack
 */
export function refuseImport(resourceName: string, options: Pick<pulumi.CustomResourceOptions, "import">): void {
  if (options.import === undefined || options.import === "") return;
  throw new pulumi.RunError(
    `Deployment ${resourceName}: the resource option "import" can't import a dynamic resource. Remove the option and set \`adopt: true\` to take the deployment over with the next \`pulumi up\`, or import it from a file that \`importFile\` writes.`,
  );
}
