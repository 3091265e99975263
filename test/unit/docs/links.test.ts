import { existsSync, globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { expect, test } from "vitest";
import { checkout } from "../../../scripts/run-command.ts";
import { anchors, type MarkdownPage, markdownPages, prose } from "../../kit/docs/markdown.ts";

const pages = markdownPages();
const anchorsByPage = new Map(pages.map((page) => [page.path, anchors(page)]));

/** The broken relative links of a page. */
function brokenLinks(page: MarkdownPage): string[] {
  const links = [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
  return links
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [path = "", anchor] = link.split("#");
      const target = path === "" ? page.path : posix.join(posix.dirname(page.path), path);
      const isThere = path === "" || existsSync(join(checkout, target));
      return !isThere || (anchor !== undefined && anchorsByPage.get(target)?.has(anchor) !== true);
    });
}

test("every relative link of a page leads to a file, and every anchor to a heading", () => {
  const broken = pages.flatMap((page) => brokenLinks(page).map((link) => `${page.path}: ${link}`));
  expect(broken).toEqual([]);
});

test("a broken link is found", () => {
  const text = "# Here\n\n[there](there.md) [a heading](#no-such) [this](#here) ![picture](none.png)\n";
  anchorsByPage.set("planted.md", anchors({ path: "planted.md", text }));
  expect(brokenLinks({ path: "planted.md", text })).toEqual(["there.md", "#no-such", "none.png"]);
});

test("every page of docs is linked from another one", () => {
  const linked = new Set(
    pages.flatMap((page) =>
      [...prose(page).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, target = ""]) =>
        posix.join(posix.dirname(page.path), target),
      ),
    ),
  );
  const docs = pages.map(({ path }) => path).filter((path) => path.startsWith("docs/") && path !== "docs/README.md");
  expect(docs.filter((path) => !linked.has(path))).toEqual([]);
});

test("every file that a page or a comment names by its path exists", () => {
  const sources = globSync("{core,provider,action,cli,mock-server,scripts,test,bench}/**/*.{ts,mjs}", {
    cwd: checkout,
    exclude: ["test/fixtures/**"],
  }).map((path) => ({ path, text: readFileSync(join(checkout, path), "utf8") }));
  const missing = [...pages, ...sources].flatMap(({ path, text }) => {
    const named = text.match(/(?<![\w./-])(?:docs|test)\/[\w./-]+\.(?:md|test\.ts|json|svg|png)\b/g) ?? [];
    return [...new Set(named)].filter((name) => !existsSync(join(checkout, name))).map((name) => `${path}: ${name}`);
  });
  expect(missing).toEqual([]);
});
