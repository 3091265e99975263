/** Values that are hard to redact: several lines, quotes, non-ASCII letters, characters that URLs escape. */
export const plantedSecrets = {
  PLAIN: "sk-planted-plain-0001",
  LINES: "-----BEGIN PLANTED KEY-----\nline-one/planted+0002\nline-two==planted\n-----END PLANTED KEY-----",
  QUOTES: `planted "double" and 'single' \\ back\\slash 0003`,
  LETTERS: "плантед-ключ-ü-0004-🔑",
  URL: "https://user:pl%20nted@host/p?a=b&c=d#0005",
} as const;

/**
 * The forms in which a value may appear in text: plain, JSON-, URL- and base64-encoded; a multi-line value also line by
 * line.
 */
export function formsOf(value: string): string[] {
  const lines = value.includes("\n") ? value.split("\n") : [];
  return [value, ...lines].flatMap((text) => {
    const json = JSON.stringify(text).slice(1, -1);
    return [
      text,
      json,
      JSON.stringify(json).slice(1, -1),
      encodeURIComponent(text),
      Buffer.from(text).toString("base64"),
      Buffer.from(text).toString("base64url"),
    ];
  });
}

/**
 * The values that `text` contains in any form, by name and number of the form. Never the values themselves, so that a
 * failing test shows none.
 */
export function leaksIn(text: string, values: Readonly<Record<string, string>> = plantedSecrets): string[] {
  return Object.entries(values).flatMap(([name, value]) =>
    formsOf(value).flatMap((form, index) => (text.includes(form) ? [`${name} (form ${index})`] : [])),
  );
}
