import { Redactor } from "../../core/redact.ts";

const secretHeaders = new Set(["x-api-key", "authorization", "proxy-authorization", "cookie", "set-cookie"]);

/** Removes known secret values from what is shown, whether they stand there plainly or JSON-, URL- or base64-encoded. */
export class Redaction {
  readonly #redactor = new Redactor();

  /** Values that ordinary text is full of (under 4 characters, `true`, short numbers) are left alone: replacing them would shred the text and still give them away. */
  remember(value: string): void {
    this.#redactor.add([value]);
  }

  text(text: string): string {
    return this.#redactor.text(text);
  }

  headers(headers: Record<string, string>): Record<string, string> {
    return Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        secretHeaders.has(name.toLowerCase()) ? "[redacted]" : this.text(value),
      ]),
    );
  }
}
