import { code, page, table } from "./markdown.ts";
import { type CommentedMember, classProperties, interfaceMembers } from "./source-comments.ts";

const deployment = "provider/deployment.ts";

/** Inputs that contain others, and the interfaces that describe those. */
const nested: Readonly<Record<string, string>> = {
  sourceConfig: "SourceConfigArgs",
  sourceRevisionConfig: "SourceRevisionConfigArgs",
};

/** The inputs and outputs of the Pulumi resource, from their TSDoc comments. */
export function providerPage(): string {
  const inputs = interfaceMembers(deployment, "DeploymentArgs").flatMap((member) => {
    const inner = nested[member.name];
    if (inner === undefined) return [inputRow(member, "")];
    return interfaceMembers(deployment, inner).map((field) => inputRow(field, `${member.name}.`));
  });
  const outputs = classProperties(deployment, "Deployment").map(({ name, text, comment }) => [
    code(name),
    code(bareType(text)),
    comment,
  ]);
  const compute = interfaceMembers("provider/resource-spec-args.ts", "ResourceSpecArgs").map(
    ({ name, text, comment }) => [code(name), code(bareType(text)), comment],
  );
  const fromFile = interfaceMembers("provider/deployments-from-file.ts", "DeploymentsFromFileArgs").map((member) =>
    inputRow(member, ""),
  );
  const provider = interfaceMembers("provider/provider.ts", "ProviderArgs").map((member) => inputRow(member, ""));
  return page(
    "Inputs and outputs of the Pulumi provider",
    "How they work together: [the guide to the provider](../guides/pulumi.md). Every input is a Pulumi input: a value, a promise or an output.",
    "## Inputs of `Deployment`",
    table(["input", "type", "meaning", "default"], inputs),
    "## Outputs of `Deployment`",
    table(["output", "type", "meaning"], [["`id`", "`string`", "ID of the deployment."], ...outputs]),
    "## Fields of `resourceSpec`",
    "Each makes a new revision. What isn't declared stays as the platform has it.",
    table(["field", "type", "meaning"], compute),
    "## Inputs of `DeploymentsFromFile`",
    "`wait`, `timeouts`, `adopt` and `deleteTracingProject` as of a `Deployment`, for all of the file, and:",
    table(["input", "type", "meaning", "default"], fromFile),
    "## Inputs of `Provider`",
    table(["input", "type", "meaning", "default"], provider),
  );
}

function inputRow({ name, text, comment, fallback, isOptional }: CommentedMember, prefix: string): string[] {
  return [code(prefix + name), code(bareType(text)), comment, isOptional ? fallback : "required"];
}

/** A type in one line, without Pulumi's wrappers. */
function bareType(text: string): string {
  let bare = text.replace(/\s+/g, " ");
  for (let before = ""; before !== bare; ) {
    before = bare;
    bare = bare.replace(/pulumi\.(?:Input|Output)<((?:[^<>]|<[^<>]*>)*)>/, "$1");
  }
  return bare
    .replace(/\bOpen<Known\w+>|\bOpen<\w+>/g, "string")
    .replaceAll(" | undefined", "")
    .replace(/; \}$/, " }");
}
