import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

const packageFolder = /^.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+/;
const licenseFile = /^(licen[cs]e|copying|notice)\b/i;

/** Collects the packages in the bundles, and writes their licences to a file. */
export class ThirdPartyLicenses {
  readonly #folders: Set<string>;

  /** @param folders packages that are shipped without being bundled */
  constructor(folders: readonly string[]) {
    this.#folders = new Set(folders);
  }

  /** A plugin of the bundler. */
  readonly plugin = {
    name: "third-party-licenses",
    generateBundle: (_options: unknown, bundle: Record<string, { moduleIds?: string[] }>) => {
      for (const { moduleIds = [] } of Object.values(bundle)) {
        for (const id of moduleIds) {
          const [folder] = packageFolder.exec(id.replace("\0", "")) ?? [];
          if (folder !== undefined) this.#folders.add(folder);
        }
      }
    },
  };

  /**
   * Writes the licences of the packages collected so far, sorted by package.
   *
   * @throws Error when a package has no licence file
   */
  async write(file: string): Promise<void> {
    const sections = [...this.#folders].map(sectionOf).sort();
    const unique = sections.filter((section, index) => section !== sections[index - 1]);
    await writeFile(file, `This package contains code of the packages below.\n\n${unique.join("\n\n")}\n`);
  }
}

function sectionOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const files = readdirSync(folder).filter((file) => licenseFile.test(file));
  if (files.length === 0) throw new Error(`${name} ${version} is bundled but has no licence file`);
  const texts = files.sort().map((file) => readFileSync(join(folder, file), "utf8").trim());
  return [`${"=".repeat(80)}\n${name} ${version} (${license})\n${"=".repeat(80)}`, ...texts].join("\n\n");
}
