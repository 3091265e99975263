import { escapeHtml } from "../../kit/http/html-page.ts";
import type { UiFile } from "../served-project.ts";

/**
 * The elements with which a client's page loads a component, from the address that the client has used. The page is on
 * another site, so the address is absolute.
 */
export function componentPage(baseUrl: string, name: string, files: readonly UiFile[], component: string): string {
  const addressOf = (file: UiFile) => escapeHtml(`${baseUrl}/ui/${encodeURIComponent(name)}/${file.name}`);
  const elements = files.map((file) => {
    if (file.name.endsWith(".css")) return `<link rel="stylesheet" href="${addressOf(file)}">`;
    const render = `__LGUI_${name.replace(/[^a-zA-Z0-9]/g, "_")}.render(${JSON.stringify(component)}, "{{shadowRootId}}")`;
    return `<script src="${addressOf(file)}" onload="${escapeHtml(render)}"></script>`;
  });
  return elements.join("\n");
}

/** The media type of a bundled file. */
export function fileType(name: string): string {
  if (name.endsWith(".js")) return "text/javascript; charset=utf-8";
  return name.endsWith(".css") ? "text/css; charset=utf-8" : "application/octet-stream";
}
