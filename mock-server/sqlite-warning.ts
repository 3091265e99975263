/**
 * Keeps Node.js 22 from warning in this process that its SQLite is experimental, which says nothing to those who run a command. All other warnings are printed. Only for processes of our own, and
 * before `node:sqlite` is imported.
 */
export function silenceSqliteWarning(): void {
  const emitWarning = process.emitWarning.bind(process) as (warning: string | Error, ...rest: unknown[]) => void;
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    if (rest[0] === "ExperimentalWarning" && String(warning).startsWith("SQLite is an experimental feature")) return;
    emitWarning(warning, ...rest);
  };
}
