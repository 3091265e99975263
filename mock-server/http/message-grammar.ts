/** Whether answers with a status have no body, and so nothing that says how long it is (RFC 9110, section 6.4.1). Those of a request by HEAD neither. */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 304;
}

/** Whether a header can have this name: a token of RFC 9110, section 5.6.2. */
export function isHeaderName(name: string): boolean {
  return /^[!#$%&'*+.^_`|~\w-]+$/.test(name);
}

/** Whether a header can have this value: no character but those of ISO 8859-1, and no control character but the tab (RFC 9110, section 5.5). */
export function isHeaderValue(value: string): boolean {
  return !/[^\t\x20-\x7e\x80-\xff]/.test(value);
}
