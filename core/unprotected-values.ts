import { shortestForm } from "./secret-forms.ts";

const commonWords: ReadonlySet<string> = new Set(["true", "false", "null", "yes", "no"]);

/** A number with fewer digits stands in too many texts: ports, durations, counts, HTTP statuses. */
const fewestDigits = 6;

/**
 * Why a secret value isn't kept out of texts: taking it out would garble ordinary ones, and the gaps would still give it away. `undefined` where
 * it is kept out.
 */
export function unprotectedBecause(value: string): string | undefined {
  const text = value.trim();
  if (commonWords.has(text.toLowerCase())) return "a common word";
  if (text.length < shortestForm) return `under ${shortestForm} characters`;
  const digits = /^[+-]?(\d+)(?:\.(\d+))?$/.exec(text);
  if (digits !== null && `${digits[1]}${digits[2] ?? ""}`.length < fewestDigits) {
    return `a number under ${fewestDigits} digits`;
  }
  return undefined;
}

/** A sentence that names the secrets whose values aren't kept out of texts, each with the reason; `undefined` where there is none. */
export function unprotectedWarning(secrets: Readonly<Record<string, string>>): string | undefined {
  const named = Object.entries(secrets).flatMap(([name, value]) => {
    const reason = value === "" ? undefined : unprotectedBecause(value);
    return reason === undefined ? [] : [`${name} (${reason})`];
  });
  if (named.length === 0) return undefined;
  return `Values that aren't kept out of logs and messages, because ordinary text is full of the like: ${named.join(", ")}.`;
}
