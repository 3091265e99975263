import { Redactor } from "../../core/redact.ts";

/** Whether a header or a field is known by its name to hold a secret. */
export function isSecretName(name: string): boolean {
  return (
    /(^|[-_])(api[-_]?key|access[-_]?key|service[-_]?key|secret([-_]?key)?|client[-_]?secret|password|passwd|credentials?|authorization|cookie|signature|code[-_]?verifier)$/i.test(
      name,
    ) || /(^|[-_])((auth|access|refresh|bearer|session|security|id)[-_])?token$/i.test(name)
  );
}

/** Whether an environment variable is known by its name to hold a secret. */
export function isSecretVariable(name: string): boolean {
  return /key|token|secret|password|credential/i.test(name);
}

/** The user and password of an address. */
const credentials = /(\b[a-z][a-z\d+.-]*:\/\/)[^\s/?#"'<>@]+@/gi;

/** Removes known secret values from what is shown, whether they stand there plainly or JSON-, URL- or base64-encoded, and the credentials of addresses. */
export class Redaction {
  readonly #redactor = new Redactor();

  /** Values that ordinary text is full of (under 4 characters, `true`, short numbers) are left alone: replacing them would shred the text and still give them away. */
  remember(value: string): void {
    this.#redactor.add([value]);
  }

  text(text: string): string {
    return this.#redactor.text(text).replace(credentials, "$1[redacted]@");
  }

  headers(headers: Record<string, string>): Record<string, string> {
    return Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, isSecretName(name) ? "[redacted]" : this.text(value)]),
    );
  }
}
