import { tokensOf } from "./syntax.ts";

/** Names that exist in CommonJS but not in modules. */
const substitutes = {
  require: "__createRequire(import.meta.url)",
  __filename: "import.meta.filename",
  __dirname: "import.meta.dirname",
};

/**
 * Gives a module what it would have if a compiler had turned it into CommonJS, as in packages without the type
 * "module": `require`, `__filename` and `__dirname`, and callable namespaces of CommonJS modules that are functions.
 * Preserves line numbers.
 */
export function withCommonJsInterop(source: string): string {
  const free = Object.entries(substitutes).filter(([name]) => source.includes(name) && !declares(source, name));
  const constants = free.map(([name, value]) => `const ${name} = ${value};`).join(" ");
  const code = callableNamespaces(source);
  if (constants === "") return code;
  const prologue = `import { createRequire as __createRequire } from "node:module"; ${constants} `;
  const hashbang = /^#!.*\n/.exec(code)?.[0] ?? "";
  return hashbang + prologue + code.slice(hashbang.length);
}

/** Whether a source seems to declare a name itself. */
function declares(source: string, name: string): boolean {
  return new RegExp(`\\b(?:const|let|var|function|class|as|import)\\s+${name}\\b|[{,]\\s*${name}\\s*[,}]`).test(source);
}

/** Makes `import * as name` return what `require` would, where that is a function. */
function callableNamespaces(source: string): string {
  if (!/import\s*\*\s*as/.test(source)) return source;
  const tokens = tokensOf(source);
  const text = (index: number) => {
    const token = tokens[index];
    return token ? source.slice(token.start, token.end) : "";
  };
  let code = "";
  let copied = 0;
  for (let index = 0; index < tokens.length; index++) {
    if (text(index) !== "import" || text(index + 1) !== "*" || text(index + 2) !== "as") continue;
    const [name, specifier] = [tokens[index + 3], tokens[index + 5]];
    if (!name || !specifier || text(index + 4) !== "from" || specifier.label !== "string") continue;
    const [local, namespace] = [text(index + 3), `__namespace${index}`];
    code += `${source.slice(copied, name.start)}${namespace}${source.slice(name.end, specifier.end)}; `;
    code += `const ${local} = typeof ${namespace}["module.exports"] === "function" ? ${namespace}["module.exports"] : ${namespace};`;
    copied = specifier.end;
  }
  return code + source.slice(copied);
}
