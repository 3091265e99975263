import type { z } from "zod";
import { ConfigError } from "../../../core/client/errors.ts";
import type { ConfigDocument } from "./config-document.ts";

/** A problem in a configuration file. */
export interface Problem {
  /** The keys that lead to the value. */
  at: readonly PropertyKey[];
  /** The predicate of a sentence whose subject is the value. */
  text: string;
}

/** The issues of a schema as problems. */
export function schemaProblems({ issues }: z.ZodError): Problem[] {
  return issues.map((issue) => ({
    at: issue.path,
    text: issue.code === "invalid_key" ? (issue.issues[0]?.message ?? issue.message) : issue.message,
  }));
}

/** Problems in a part of a file, as problems in the file. */
export function within(key: string, problems: readonly Problem[]): Problem[] {
  return problems.map(({ at, text }) => ({ at: [key, ...at], text }));
}

/** One error for all problems of a file, each with its line. */
export function problemsError(path: string, { lineOf }: ConfigDocument, found: readonly Problem[]): ConfigError {
  const lines = found.map(({ at, text }) => {
    const line = lineOf(at);
    const place = `${path}${line === undefined ? "" : `:${line}`}`;
    return [place, ...(at.length === 0 ? [] : [at.map(String).join(".")]), text].join(": ");
  });
  const [first] = found;
  const line = first && lineOf(first.at);
  return new ConfigError(lines.join("\n"), { path, ...(line === undefined ? {} : { line }) });
}
