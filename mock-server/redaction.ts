const placeholder = "[redacted]";
const shortestRedacted = 4;
const secretHeaders = new Set(["x-api-key", "authorization", "proxy-authorization", "cookie", "set-cookie"]);

/** Removes known secret values from text, whether they stand there plainly or JSON-, URL- or base64-encoded. */
export class Redaction {
  readonly #values = new Set<string>();

  /** Values under 4 characters are left alone: replacing them would shred the text and still give them away. */
  remember(value: string): void {
    if (value.length < shortestRedacted) return;
    this.#values.add(value);
    this.#values.add(JSON.stringify(value).slice(1, -1));
    this.#values.add(encodeURIComponent(value));
    this.#values.add(Buffer.from(value).toString("base64"));
  }

  text(text: string): string {
    const longestFirst = [...this.#values].sort((a, b) => b.length - a.length);
    return longestFirst.reduce((result, value) => result.replaceAll(value, placeholder), text);
  }

  headers(headers: Record<string, string>): Record<string, string> {
    return Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        secretHeaders.has(name.toLowerCase()) ? placeholder : this.text(value),
      ]),
    );
  }
}
