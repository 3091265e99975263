/** Whether two addresses name one repository: the host's case, `.git` and a slash at the end make no difference. */
export function isSameRepository(a: string, b: string): boolean {
  const normalize = (text: string) => {
    const url = URL.parse(text.trim());
    const plain = url === null ? text.trim() : `${url.host}${url.pathname}`;
    return plain.replace(/\/+$/, "").replace(/\.git$/, "");
  };
  return normalize(a) === normalize(b);
}
