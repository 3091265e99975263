import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type HttpResponse, jsonResponse } from "../http/http-response.ts";
import type { Endpoint, Router } from "../http/router.ts";

/** The files of the reference page, all served locally so that it works offline. */
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

/** Serves `/openapi.json` and an interactive `/docs` under `prefix`, without a key and with local files only. */
export function serveReference(router: Router<Endpoint>, prefix: string, title: string, describe: () => object): void {
  const serve = (path: string, handle: Endpoint["handle"]) =>
    router.on("GET", prefix + path, { operation: null, handle });
  let json: string | undefined;
  serve("/openapi.json", () => {
    json ??= JSON.stringify(describe());
    return { status: 200, json };
  });
  serve("/docs", () => referencePage(title));
  serve("/docs/{asset}", (context) => referenceAsset(context.param("asset")));
}

/** The reference page, to serve as `/docs` beside `/openapi.json`. `title` is HTML. */
export function referencePage(title: string): HttpResponse {
  return {
    status: 200,
    content: page(title, "./docs", "./openapi.json"),
    headers: { "content-type": "text/html; charset=UTF-8" },
  };
}

/** A file of the page; 404 for other names. */
export async function referenceAsset(name: string): Promise<HttpResponse> {
  const type = Object.hasOwn(assets, name) ? assets[name] : undefined;
  if (type === undefined) return jsonResponse(404, { detail: "Not Found" });
  const file = fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`));
  return {
    status: 200,
    content: await readFile(file),
    headers: { "content-type": type, "cache-control": "max-age=3600" },
  };
}
