import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { importInTheNameOf } from "../load/module-hooks.ts";
import { ProjectLoadError } from "../load/project-load-error.ts";
import { rememberContexts } from "./context-types.ts";
import { installedPackage } from "./installed-package.ts";

const packageName = "@langchain/langgraph";

type Module = typeof import("@langchain/langgraph");
type Schemas = typeof import("@langchain/langgraph/zod/schema");
type Messages = typeof import("@langchain/core/messages");

/** The user's own copy of the library. */
export interface Library extends Module {
  version: string;
  /** The class for chunks of models that only report text. */
  AIMessageChunk: Messages["AIMessageChunk"];
  /** The library's module for schemas, if it has one. */
  schemas: Schemas | undefined;
}

/**
 * Loads the library as the user's module does.
 * @throws {ProjectLoadError} when it isn't installed there, or its version isn't supported.
 */
export async function loadLibrary(folder: string, module: string): Promise<Library> {
  const importers = [pathToFileURL(module).href, pathToFileURL(join(folder, "package.json")).href];
  const importer = importers.find((url) => installedPackage(packageName, url) !== undefined);
  const packageFile = importer === undefined ? undefined : installedPackage(packageName, importer);
  if (importer === undefined || packageFile === undefined) {
    throw new ProjectLoadError(`${packageName} isn't installed in ${folder}: run npm install ${packageName} there.`);
  }
  const { version } = JSON.parse(readFileSync(packageFile, "utf8")) as { version: string };
  if (!/^1\./.test(version)) {
    throw new ProjectLoadError(
      `${packageName} is installed in version ${version}, but 1.0.0 or later, before 2, is needed: ${packageFile}`,
    );
  }
  const library = await importInTheNameOf<Module>(importer, packageName);
  const schemas = await importInTheNameOf<Schemas>(importer, `${packageName}/zod/schema`).catch(() => undefined);
  // Dependencies of the library are resolved from the library, since the project may not have them.
  const { AIMessageChunk } = await importInTheNameOf<Messages>(
    pathToFileURL(packageFile).href,
    "@langchain/core/messages",
  );
  rememberContexts(library.StateGraph);
  return { ...library, version, schemas, AIMessageChunk };
}
