// `npm run reference [-- --check]`: generates documentation from the sources (pages of docs/reference, examples and
// tables in other pages), or lists the outdated pages.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { actionPage } from "./reference/action-page.ts";
import { apiPages } from "./reference/api-pages.ts";
import { commandLinePage } from "./reference/command-line-page.ts";
import { configurationPages } from "./reference/configuration-pages.ts";
import { declarativeFilePage } from "./reference/declarative-file-page.ts";
import { environmentPage } from "./reference/environment-page.ts";
import { filledPages } from "./reference/filled-pages.ts";
import { operationsPages } from "./reference/operations-pages.ts";
import { providerPage } from "./reference/provider-page.ts";
import { checkout } from "./run-command.ts";

/** Generated pages by their path in the checkout, and problems of the sources, one sentence each. */
export interface Reference {
  readonly pages: ReadonlyMap<string, string>;
  readonly problems: readonly string[];
}

/** Generates every page, in memory. */
export async function makeReference(): Promise<Reference> {
  const api = await apiPages();
  const pages = new Map([
    ["docs/reference/action.md", await actionPage()],
    ["docs/reference/provider.md", providerPage()],
    ["docs/reference/command-line.md", await commandLinePage()],
    ["docs/reference/declarative-file.md", declarativeFilePage()],
    ["docs/reference/environment-variables.md", await environmentPage()],
    ...configurationPages(),
    ...(await operationsPages()),
    ...(await filledPages()),
    ...api.pages,
  ]);
  return { pages, problems: api.warnings };
}

/** The paths of the pages that differ from the generated ones. */
export async function outdatedPages({ pages }: Reference): Promise<string[]> {
  const outdated: string[] = [];
  for (const [path, text] of pages) {
    const present = await readFile(join(checkout, path), "utf8").catch(() => undefined);
    if (present?.replaceAll("\r\n", "\n") !== text) outdated.push(path);
  }
  return outdated;
}

if (import.meta.main) {
  const reference = await makeReference();
  for (const problem of reference.problems) process.stderr.write(`${problem}\n`);
  const outdated = await outdatedPages(reference);
  if (process.argv.includes("--check")) {
    for (const path of outdated) process.stderr.write(`${path} is outdated. Run npm run reference.\n`);
    if (outdated.length + reference.problems.length > 0) process.exitCode = 1;
  } else {
    for (const path of outdated) {
      await mkdir(dirname(join(checkout, path)), { recursive: true });
      await writeFile(join(checkout, path), reference.pages.get(path) ?? "");
      process.stdout.write(`Wrote ${path}.\n`);
    }
  }
}
