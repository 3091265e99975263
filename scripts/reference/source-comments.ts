import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { checkout } from "../run-command.ts";

/** A member with its TSDoc comment. */
export interface CommentedMember {
  readonly name: string;
  /** The source text of the type, or of the initial value of an object's member. */
  readonly text: string;
  /** The comment in one line, without its tags. */
  readonly comment: string;
  /** The `@default` tag, if there is one. */
  readonly fallback: string;
  readonly isOptional: boolean;
}

function sourceFile(path: string): ts.SourceFile {
  return ts.createSourceFile(path, readFileSync(join(checkout, path), "utf8"), ts.ScriptTarget.ESNext, true);
}

function commented(node: ts.PropertySignature | ts.PropertyDeclaration | ts.PropertyAssignment): CommentedMember {
  const documentation = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc).at(-1);
  const tag = documentation?.tags?.find(({ tagName }) => tagName.text === "default");
  const value = ts.isPropertyAssignment(node) ? node.initializer : node.type;
  return {
    name: node.name.getText().replace(/^"|"$/g, ""),
    text: value?.getText() ?? "",
    comment: oneLine(ts.getTextOfJSDocComment(documentation?.comment)),
    fallback: oneLine(ts.getTextOfJSDocComment(tag?.comment)),
    isOptional: !ts.isPropertyAssignment(node) && node.questionToken !== undefined,
  };
}

function oneLine(text: string | undefined): string {
  return (text ?? "")
    .replace(/\s+/g, " ")
    .replace(/\{@link (\w+)\}/g, "`$1`")
    .trim();
}

/** The members of an interface. @throws Error when the file has none of that name */
export function interfaceMembers(path: string, name: string): CommentedMember[] {
  const declaration = sourceFile(path).statements.find(
    (node): node is ts.InterfaceDeclaration => ts.isInterfaceDeclaration(node) && node.name.text === name,
  );
  if (declaration === undefined) throw new Error(`${path} has no interface ${name}.`);
  return declaration.members.filter(ts.isPropertySignature).map(commented);
}

/** The declared properties of a class. @throws Error when the file has none of that name */
export function classProperties(path: string, name: string): CommentedMember[] {
  const declaration = sourceFile(path).statements.find(
    (node): node is ts.ClassDeclaration => ts.isClassDeclaration(node) && node.name?.text === name,
  );
  if (declaration === undefined) throw new Error(`${path} has no class ${name}.`);
  return declaration.members.filter(ts.isPropertyDeclaration).map(commented);
}

/** The comments in all object literals of the matching files, to look up a schema's comments by its keys. */
export function objectComments(pattern: string): (keys: readonly string[]) => ReadonlyMap<string, string> {
  const literals: Map<string, string>[] = [];
  for (const path of globSync(pattern, { cwd: checkout }).sort()) {
    const visit = (node: ts.Node): void => {
      if (ts.isObjectLiteralExpression(node)) {
        const members = node.properties.filter(ts.isPropertyAssignment).map(commented);
        literals.push(new Map(members.map((member) => [snakeCase(member.name), withDefault(member)])));
      }
      ts.forEachChild(node, visit);
    };
    visit(sourceFile(path));
  }
  return (keys) => {
    const wanted = new Set(keys.map(snakeCase));
    const shared = (literal: ReadonlyMap<string, string>) =>
      [...literal.keys()].filter((key) => wanted.has(key)).length;
    // A schema is one literal or spreads several, so the matching literal has hardly any key that the schema lacks.
    const parts = literals.filter((literal) => shared(literal) > 1 && shared(literal) / literal.size >= 0.8);
    const comments = new Map<string, string>();
    for (const part of parts.sort((a, b) => shared(b) - shared(a))) {
      for (const key of keys) {
        const comment = part.get(snakeCase(key));
        if (comment && !comments.has(key)) comments.set(key, comment);
      }
    }
    return comments;
  };
}

function withDefault({ comment, fallback }: CommentedMember): string {
  return fallback === "" ? comment : `${comment} Default: ${fallback}.`;
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
