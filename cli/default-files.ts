import { readFile } from "node:fs/promises";

/** The names under which a file is found in the current folder. */
export const defaultFiles = ["graphdeploy.yaml", "graphdeploy.yml", "graphdeploy.json"] as const;

/** @throws Error when there is no such file, or none of the default ones */
export async function readDefaultFile(path: string | undefined): Promise<{ file: string; text: string }> {
  for (const file of path === undefined ? defaultFiles : [path]) {
    try {
      return { file, text: await readFile(file, "utf8") };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "ENOENT") throw new Error(`${file} can't be read (${code}).`, { cause: error });
    }
  }
  throw new Error(
    path === undefined ? `This folder has no ${defaultFiles.join(", ")}. Name the file.` : `There is no file ${path}.`,
  );
}
