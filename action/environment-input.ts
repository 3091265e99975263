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
  const lines = text.split(/\r?\n/);
  let previous = "";
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "" || line.trimStart().startsWith("#")) continue;
    const equals = line.indexOf("=");
    const name = line.slice(0, equals).trim();
    const value = line.slice(equals + 1);
    if (equals < 0 || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      problems.push({ input, message: `is not KEY=VALUE in line ${index + 1}. ${severalLines}` });
    } else if (continues(previous, line.trim())) {
      problems.push({ input, message: `has in line ${index + 1} what looks like the end of a value. ${severalLines}` });
    } else if (entries.has(name)) problems.push({ input, message: `sets ${name} twice, in line ${index + 1} again.` });
    else entries.set(name, value);
    previous = value.trim();
  }
  return { entries: Object.fromEntries(entries), problems };
}

const severalLines = `A value of several lines needs the JSON form: {"KEY": \${{ toJSON(secrets.KEY) }}}.`;

/**
 * Whether a line in the form of `KEY=VALUE` is the end of the value before it: of Base64, whose padding reads as `=`, or of quoted text. Taken as
 * an entry, its first part, which may be secret, would be a name that is shown.
 */
function continues(previous: string, line: string): boolean {
  if (/^[A-Za-z0-9]+==$/.test(line)) return true;
  // One sign may also be an empty value, so what comes before must be whole groups of Base64, and the line no usual name.
  const endsBase64 = /^[A-Za-z0-9]+=$/.test(line) && line.length % 4 === 0 && !/^[A-Z]+=$/.test(line);
  if (endsBase64 && previous.length >= 16 && previous.length % 4 === 0 && /^[A-Za-z0-9+/]+$/.test(previous))
    return true;
  const quote = /^["']/.exec(previous)?.[0];
  if (quote === undefined || (previous.length > 1 && previous.endsWith(quote))) return false;
  return line.endsWith(quote) && line.split(quote).length % 2 === 0;
}
