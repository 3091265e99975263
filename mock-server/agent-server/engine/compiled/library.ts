import { readFileSync } from "node:fs";
import { findPackageJSON, registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ProjectLoadError } from "../../../project/project-load-error.ts";

const packageName = "@langchain/langgraph";
const corePackageName = "@langchain/core";
/** Stand for the library in imports that are resolved from the user's files, and for what it rests on in those resolved from its own. */
const alias = "graphdeploy-library:";
const coreAlias = "graphdeploy-library-core:";

type Module = typeof import("@langchain/langgraph");

/** The user's own copy of the library. */
export interface Library extends Module {
  version: string;
  /** What a model's parts of a message are, where a model tells only their text. */
  AIMessageChunk: typeof import("@langchain/core/messages").AIMessageChunk;
  /** The library's reader of schemas, where it has one. */
  schemas: typeof import("@langchain/langgraph/zod/schema") | undefined;
}

/**
 * Loads the library as the user's module would.
 * @throws {ProjectLoadError} when it isn't installed there, or in a version that isn't supported.
 */
export async function loadLibrary(folder: string, module: string): Promise<Library> {
  const importers = [pathToFileURL(module).href, pathToFileURL(join(folder, "package.json")).href];
  const importer = importers.find((url) => packageFileFrom(url) !== undefined);
  const packageFile = importer === undefined ? undefined : packageFileFrom(importer);
  if (packageFile === undefined) {
    throw new ProjectLoadError(`${packageName} isn't installed in ${folder}: run npm install ${packageName} there.`);
  }
  const { version } = JSON.parse(readFileSync(packageFile, "utf8")) as { version: string };
  if (!/^1\./.test(version)) {
    throw new ProjectLoadError(
      `${packageName} is installed in version ${version}, but 1.0.0 or later, before 2, is needed: ${packageFile}`,
    );
  }
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier.startsWith(coreAlias)) {
        const parentURL = pathToFileURL(packageFile).href;
        return next(corePackageName + specifier.slice(coreAlias.length), { ...context, parentURL });
      }
      if (!specifier.startsWith(alias)) return next(specifier, context);
      return next(packageName + specifier.slice(alias.length), { ...context, parentURL: importer });
    },
  });
  const library = (await import(alias)) as Module;
  const schemas = await import(`${alias}/zod/schema`).catch(() => undefined);
  const { AIMessageChunk } = await import(`${coreAlias}/messages`);
  return { ...library, version, schemas, AIMessageChunk };
}

function packageFileFrom(importer: string): string | undefined {
  try {
    return findPackageJSON(packageName, importer);
  } catch {
    return undefined;
  }
}
