import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { MockApp } from "./route.ts";

/** The files of the reference page, which is served whole so that it works without a network. */
const assets: Record<string, string> = {
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
  "favicon-32x32.png": "image/png",
};

function page(title: string, assetsPath: string, documentPath: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} — API reference</title>
<link rel="stylesheet" href="${assetsPath}/swagger-ui.css">
<link rel="icon" href="${assetsPath}/favicon-32x32.png">
</head>
<body>
<div id="reference"></div>
<script src="${assetsPath}/swagger-ui-bundle.js"></script>
<script>SwaggerUIBundle({ url: "${documentPath}", dom_id: "#reference", deepLinking: true, validatorUrl: null });</script>
</body>
</html>
`;
}

/** Serves `/openapi.json` and an interactive `/docs` under `prefix`, without a key and without anything from elsewhere. */
export function serveReference(app: MockApp, prefix: string, title: string, describe: () => object): void {
  let document: string | undefined;
  app.get(`${prefix}/openapi.json`, () => {
    document ??= JSON.stringify(describe());
    return new Response(document, { headers: { "content-type": "application/json" } });
  });
  app.get(`${prefix}/docs`, (context) => context.html(referencePage(title)));
  app.get(`${prefix}/docs/:asset`, (context) => serveReferenceAsset(context.req.param("asset")));
}

/** The reference page, for a `/docs` beside its `/openapi.json`. */
export function referencePage(title: string): string {
  return page(title, "./docs", "./openapi.json");
}

/** One of the page's files; 404 for any other name. */
export async function serveReferenceAsset(name: string): Promise<Response> {
  const type = Object.hasOwn(assets, name) ? assets[name] : undefined;
  if (type === undefined) return Response.json({ detail: "Not Found" }, { status: 404 });
  const file = fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`));
  return new Response(new Uint8Array(await readFile(file)), {
    headers: { "content-type": type, "cache-control": "max-age=3600" },
  });
}
