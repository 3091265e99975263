/** A browser without scripts at a consent page. */
export interface Consent {
  /** The status and text of the page on which the flow ended. */
  status: number;
  text: string;
  /** Where the provider sent the browser. */
  location: URL;
}

/**
 * Opens an authorization address, submits the form with `decision`, and returns the redirect's target without following
 * it.
 */
export async function decide(url: string, decision: "allow" | "deny" = "allow"): Promise<URL> {
  const page = await (await fetch(url)).text();
  const form = new URLSearchParams();
  for (const [, name = "", value = ""] of page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)) {
    form.append(name, unescapeHtml(value));
  }
  form.set("subject", "alice@example.com");
  form.set("decision", decision);
  const action = /<form method="post" action="([^"]*)">/.exec(page)?.[1] ?? "";
  const response = await fetch(new URL(action, url), { method: "POST", body: form, redirect: "manual" });
  return new URL(response.headers.get("location") ?? "about:blank");
}

/** Submits the form and follows the redirect. */
export async function consent(url: string, decision: "allow" | "deny" = "allow"): Promise<Consent> {
  const location = await decide(url, decision);
  const response = await fetch(location);
  return { status: response.status, text: await response.text(), location };
}

function unescapeHtml(text: string): string {
  return text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
}
