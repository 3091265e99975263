/**
 * Silences the warning of Node.js 22 that SQLite is experimental, which means nothing to users of a command. Prints all
 * other warnings. For processes of our own only; call it before `node:sqlite` is imported.
 */
export function silenceSqliteWarning(): void {
  const emitWarning = process.emitWarning.bind(process) as (warning: string | Error, ...rest: unknown[]) => void;
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    if (rest[0] === "ExperimentalWarning" && String(warning).startsWith("SQLite is an experimental feature")) return;
    emitWarning(warning, ...rest);
  };
}
