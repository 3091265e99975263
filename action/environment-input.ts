/** A mistake in an input, ready to be shown: it repeats no value. */
export interface InputProblem {
  input: string;
  message: string;
}

/** The map that a multi-line input holds, and the mistakes in it. */
export interface EnvironmentInput {
  entries: Readonly<Record<string, string>> | undefined;
  problems: readonly InputProblem[];
}

/**
 * Reads an environment: a JSON object, or lines of `KEY=VALUE`. A value is taken as it stands, quotes and spaces included; blank lines and
 * lines that begin with `#` are left out. `undefined` entries when nothing is given.
 */
export function readEnvironment(input: string, text: string): EnvironmentInput {
  const trimmed = text.trim();
  if (trimmed === "") return { entries: undefined, problems: [] };
  return trimmed.startsWith("{") ? readJson(input, trimmed) : readLines(input, text);
}

/** Whatever could be a secret value in a text that may be malformed. */
export function possibleValues(text: string): string[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  return lines.flatMap((line) => [line.trim(), line.slice(line.indexOf("=") + 1).trim()]);
}

function readJson(input: string, text: string): EnvironmentInput {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { entries: undefined, problems: [{ input, message: "begins like JSON and isn't valid JSON." }] };
  }
  const entries: Record<string, string> = Object.create(null);
  const problems: InputProblem[] = [];
  for (const [name, value] of Object.entries(json as object)) {
    if (typeof value === "string") entries[name] = value;
    else if (typeof value === "number" || typeof value === "boolean") entries[name] = String(value);
    else problems.push({ input, message: `has no text as the value of ${name}.` });
  }
  return { entries: { ...entries }, problems };
}

function readLines(input: string, text: string): EnvironmentInput {
  const entries = new Map<string, string>();
  const problems: InputProblem[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "" || line.trimStart().startsWith("#")) continue;
    const equals = line.indexOf("=");
    const name = line.slice(0, equals).trim();
    if (equals < 0 || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      const message = `is not KEY=VALUE in line ${index + 1}. A value of several lines needs the JSON form: {"KEY": \${{ toJSON(secrets.KEY) }}}.`;
      problems.push({ input, message });
    } else if (entries.has(name)) problems.push({ input, message: `sets ${name} twice, in line ${index + 1} again.` });
    else entries.set(name, line.slice(equals + 1));
  }
  return { entries: Object.fromEntries(entries), problems };
}
