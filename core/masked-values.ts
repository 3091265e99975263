/** Whether a value read back stands for a hidden one: such a value tells nothing about a change. */
export function isMasked(value: string): boolean {
  return value === "" || /\*{3,}|•{3,}/.test(value) || /^[<[(*]+(redacted|masked|hidden|secret)[>\])*]+$/i.test(value);
}
