import * as pulumi from "@pulumi/pulumi";

/**
 * The resource option `import` can't work: Pulumi reads the resource without the program's inputs, the provider text among them, and ends with
 * "code must be a string, not undefined". So it is refused with what works.
 * @throws RunError, which Pulumi shows without a stack
 */
export function refuseImport(resourceName: string, options: Pick<pulumi.CustomResourceOptions, "import">): void {
  if (options.import === undefined || options.import === "") return;
  throw new pulumi.RunError(
    `Deployment ${resourceName}: the resource option "import" can't import a dynamic resource. Take the option away, and set \`adopt: true\` to take the deployment over with the next \`pulumi up\`, or import it from a file that \`importFile\` writes.`,
  );
}
