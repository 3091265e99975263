import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  Application,
  type Context,
  Converter,
  type DeclarationReflection,
  Logger,
  LogLevel,
  ReflectionKind,
  type SignatureReflection,
} from "typedoc";
import ts from "typescript";
import { checkout } from "../run-command.ts";

/**
 * The package's entry points for programs, by the name of their page. `graphdeploy/provider/runtime` is for the
 * provider's own process.
 */
const entryPoints = {
  graphdeploy: { module: "provider", source: "provider/index.ts", specifier: "graphdeploy" },
  core: { module: "core", source: "core/index.ts", specifier: "graphdeploy/core" },
  "mock-server": { module: "mock-server", source: "mock-server/index.ts", specifier: "graphdeploy/mock-server" },
} as const;

/** Pages by path, and TypeDoc's warnings, especially about types in public signatures that no entry point exports. */
export interface ApiPages {
  readonly pages: ReadonlyMap<string, string>;
  readonly warnings: readonly string[];
}

/** Collects TypeDoc's warnings instead of printing them. */
class CollectingLogger extends Logger {
  readonly warnings: string[] = [];

  override log(message: string, level: LogLevel): void {
    if (level >= LogLevel.Warn) this.warnings.push(message);
  }
}

const options = {
  entryPoints: Object.values(entryPoints).map(({ source }) => join(checkout, source)),
  tsconfig: join(checkout, "tsconfig.json"),
  plugin: ["typedoc-plugin-markdown"],
  readme: "none",
  logLevel: "Error",
  router: "module",
  // `npm run check` checks types separately.
  skipErrorChecking: true,
  excludeExternals: true,
  excludeInternal: true,
  excludePrivate: true,
  disableGit: true,
  disableSources: true,
  hidePageHeader: true,
  hidePageTitle: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  useHTMLAnchors: false,
  parametersFormat: "table",
  interfacePropertiesFormat: "table",
  classPropertiesFormat: "table",
  typeAliasPropertiesFormat: "table",
  typeDeclarationFormat: "table",
  propertyMembersFormat: "table",
  tableColumnSettings: {
    hideDefaults: true,
    hideInherited: true,
    hideModifiers: true,
    hideOverrides: true,
    hideSources: true,
    hideValues: true,
  },
};

/** Generates one Markdown page for each entry point from the TSDoc comments of its exports. */
export async function apiPages(): Promise<ApiPages> {
  const folder = await mkdtemp(join(tmpdir(), "graphdeploy-api-"));
  try {
    const app = await Application.bootstrapWithPlugins({
      ...options,
      // The plugin adds this output, with the path as its folder.
      outputs: [{ name: "markdown", path: folder }],
    } as Parameters<typeof Application.bootstrapWithPlugins>[0]);
    const logger = new CollectingLogger();
    app.logger = logger;
    const { warnings } = logger;
    showTypesAsWritten(app);
    showDerivedTypes(app);
    leaveOutDuplicates(app);
    const project = await app.convert();
    if (project === undefined) throw new Error(`TypeDoc failed: ${warnings.join("\n")}`);
    app.validate(project);
    await app.generateOutputs(project);
    const pages = new Map<string, string>();
    for (const [page, { module, specifier }] of Object.entries(entryPoints)) {
      const text = await readFile(join(folder, `${module}.md`), "utf8");
      pages.set(`docs/reference/api/${page}.md`, pageOf(specifier, text));
    }
    return { pages, warnings };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function pageOf(specifier: string, body: string): string {
  const text = body
    .replaceAll("](provider.md", "](graphdeploy.md")
    .replaceAll(/<a id="[^"]*"><\/a> /g, "")
    // Members have no anchors of their own.
    .replaceAll(/\[`?([^`\]]+)`?\]\((?:\w[\w-]*\.md)?#property-[^)]*\)/g, "`$1`")
    // Headings separate the entries well enough, and a signature already ends with its return type.
    .replaceAll("\n***\n", "")
    .replaceAll(/#+ Returns\n\n[^#\n].*\n(?=\n#|\n?$)/g, "")
    .replaceAll(/#+ Extended by\n\n(- .*\n)+/g, "")
    .replaceAll("| ------", "|---")
    .replaceAll("--- |", "---|")
    .replaceAll(/[ \t]+$/gm, "")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
  return `# API of \`${specifier}\`\n\n${text}\n`;
}

/**
 * Types of parameters and results to print by name. TypeScript would expand them and spread whole records over every
 * signature.
 */
function showTypesAsWritten(app: Application): void {
  app.converter.on(
    Converter.EVENT_CREATE_SIGNATURE,
    (context: Context, signature: SignatureReflection, declaration?: ts.SignatureDeclaration | ts.JSDocSignature) => {
      if (declaration === undefined || ts.isJSDocSignature(declaration)) return;
      if (declaration.type) signature.type = context.converter.convertType(context, declaration.type);
      for (const [index, parameter] of (signature.parameters ?? []).entries()) {
        const type = declaration.parameters[index]?.type;
        if (type) parameter.type = context.converter.convertType(context, type);
      }
    },
  );
}

/**
 * Types that are derived from a value: inferred from a zod schema, or built from the entries of a list or the keys of
 * an object.
 */
const derivedType = /\bz\.(infer|input|output)<|\(typeof \w+\)\[number\]|\bkeyof typeof\b/;

/** Shows what a derived type resolves to. */
function showDerivedTypes(app: Application): void {
  const resolutions: (() => void)[] = [];
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (context: Context, reflection: DeclarationReflection) => {
    if (!reflection.kindOf(ReflectionKind.TypeAlias)) return;
    const declaration = context.getSymbolFromReflection(reflection)?.declarations?.find(ts.isTypeAliasDeclaration);
    if (declaration === undefined || !derivedType.test(declaration.type.getText())) return;
    const scope = context.withScope(reflection);
    resolutions.push(() => {
      const type = context.getTypeAtLocation(declaration);
      if (type === undefined) return;
      // TypeDoc would print the alias as written.
      const bare = Object.assign(Object.create(Object.getPrototypeOf(type)), type, {
        aliasSymbol: undefined,
        aliasTypeArguments: undefined,
      });
      reflection.type = context.converter.convertType(scope, bare);
    });
  });
  app.converter.on(
    Converter.EVENT_RESOLVE_BEGIN,
    () => {
      for (const resolve of resolutions.splice(0)) resolve();
    },
    1000,
  );
}

/** Members without information of their own: inherited ones, and constructors of errors. */
function leaveOutDuplicates(app: Application): void {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }: Context) => {
    const members = project.getReflectionsByKind(ReflectionKind.ClassMember) as DeclarationReflection[];
    const errors = new Set(members.filter(({ name }) => name === "kind").map(({ parent }) => parent));
    for (const member of members) {
      const isMachinery = member.kindOf(ReflectionKind.Constructor) || /^(kind|\[hasInstance\])$/.test(member.name);
      if (member.inheritedFrom !== undefined || (isMachinery && errors.has(member.parent))) {
        project.removeReflection(member);
      }
      delete member.overwrites;
    }
  });
}
