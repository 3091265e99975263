import { Redactor } from "../../core/redact.ts";

/** Whether the name of a header or field suggests a secret. */
export function isSecretName(name: string): boolean {
  return (
    /(^|[-_])(api[-_]?key|access[-_]?key|service[-_]?key|secret([-_]?key)?|client[-_]?secret|password|passwd|credentials?|authorization|cookie|signature|code[-_]?verifier)$/i.test(
      name,
    ) || /(^|[-_])((auth|access|refresh|bearer|session|security|id)[-_])?token$/i.test(name)
  );
}

/** Whether the name of an environment variable suggests a secret. */
export function isSecretVariable(name: string): boolean {
  return /key|token|secret|password|credential/i.test(name);
}

/** The user and password in a URL. */
const credentials = /(\b[a-z][a-z\d+.-]*:\/\/)[^\s/?#"'<>@]+@/gi;

/** Redacts known secret values, plain or JSON-, URL- or base64-encoded, and the credentials in URLs. */
export class Redaction {
  readonly #redactor = new Redactor();

  /**
   * Adds a secret value. Ignores values that ordinary text is full of (under 4 characters, `true`, short numbers):
   * replacing them would garble the text and still reveal them.
   */
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
