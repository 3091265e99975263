import type ts from "typescript";
import type { Fields } from "../../agent-server/engine/contract.ts";
import type { Compiler } from "./compiler.ts";
import { messageSchema } from "./message-schema.ts";

/** Maximum depth of a schema, and of objects in it. Beyond, the schema permits any value. */
const maxDepth = 40;
const maxObjects = 2000;

/** The JSON Schema (2020-12) of a type's values as they are on the wire. Recursive types are in its `$defs`. */
export function schemaOfType(ts: Compiler, program: ts.Program, type: ts.Type): Fields {
  const converter = new TypeConverter(ts, program);
  const schema = converter.schemaOf(type);
  const { definitions } = converter;
  return Object.keys(definitions).length === 0 ? schema : { ...schema, $defs: definitions };
}

class TypeConverter {
  readonly definitions: Record<string, Fields> = {};
  readonly #ts: Compiler;
  readonly #program: ts.Program;
  readonly #checker: ts.TypeChecker;
  /** The types around the current one. */
  readonly #open = new Set<ts.Type>();
  /** The names of recursive types. */
  readonly #names = new Map<ts.Type, string>();
  #objects = 0;

  constructor(compiler: Compiler, program: ts.Program) {
    this.#ts = compiler;
    this.#program = program;
    this.#checker = program.getTypeChecker();
  }

  schemaOf(type: ts.Type): Fields {
    if (this.#open.has(type) && !this.#names.has(type)) this.#names.set(type, this.#newName(type));
    const known = this.#names.get(type);
    if (known !== undefined) return { $ref: `#/$defs/${known}` };
    if (this.#open.size >= maxDepth) return {};
    this.#open.add(type);
    const schema = this.#convert(type);
    this.#open.delete(type);
    const name = this.#names.get(type);
    if (name === undefined) return schema;
    this.definitions[name] = schema;
    return { $ref: `#/$defs/${name}` };
  }

  #newName(type: ts.Type): string {
    const wanted = (type.aliasSymbol ?? type.getSymbol())?.name.replace(/\W/g, "") || "type";
    const taken = new Set(this.#names.values());
    for (let number = 1; ; number++) {
      const name = number === 1 ? wanted : `${wanted}${number}`;
      if (!taken.has(name)) return name;
    }
  }

  #convert(type: ts.Type): Fields {
    const { TypeFlags } = this.#ts;
    if (type.flags & TypeFlags.TypeParameter) {
      const constraint = this.#checker.getBaseConstraintOfType(type);
      return constraint ? this.schemaOf(constraint) : {};
    }
    const constant = this.#constantOf(type);
    if (constant !== undefined) return { type: typeof constant, const: constant };
    if (type.flags & TypeFlags.StringLike) return { type: "string" };
    if (type.flags & TypeFlags.BooleanLike) return { type: "boolean" };
    if (type.isUnion()) return this.#convertUnion(type);
    if (type.flags & TypeFlags.NumberLike) return { type: "number" };
    if (type.flags & TypeFlags.BigIntLike) return { type: "integer" };
    if (type.flags & TypeFlags.Null) return { type: "null" };
    if (type.flags & TypeFlags.NonPrimitive) return { type: "object" };
    if (type.isIntersection()) {
      // Brands: a primitive type together with properties that exist in types only.
      const { StringLike, NumberLike, BooleanLike, BigIntLike } = TypeFlags;
      const primitive = type.types.find(({ flags }) => flags & (StringLike | NumberLike | BooleanLike | BigIntLike));
      return primitive ? this.schemaOf(primitive) : this.#convertObject(type);
    }
    return type.flags & TypeFlags.Object ? this.#convertObject(type) : {};
  }

  #constantOf(type: ts.Type): string | number | boolean | undefined {
    if (type.isStringLiteral() || type.isNumberLiteral()) return type.value;
    if (type.flags & this.#ts.TypeFlags.BooleanLiteral) return this.#checker.typeToString(type) === "true";
    return undefined;
  }

  #convertUnion({ types }: ts.UnionType): Fields {
    const constants = new Map<string, Set<unknown>>();
    const schemas: Fields[] = [];
    // Updates can be wrapped to replace a value instead of reducing it; clients send the value itself.
    const written = types.filter((type) => this.#isWritten(type) && !type.getProperty("__overwrite__"));
    for (const type of written) {
      const constant = this.#constantOf(type);
      const kind = typeof constant;
      if (constant === undefined) schemas.push(this.schemaOf(type));
      else constants.set(kind, (constants.get(kind) ?? new Set()).add(constant));
    }
    for (const [type, values] of constants) {
      const [first] = values;
      if (values.size === 1) schemas.push({ type, const: first });
      else schemas.push(type === "boolean" ? { type } : { type, enum: [...values] });
    }
    return anyOf(schemas);
  }

  #convertObject(type: ts.Type): Fields {
    if (++this.#objects > maxObjects) return {};
    if (type.getProperty("lc_namespace") && type.getProperty("content")) return messageSchema;
    const checker = this.#checker;
    if (checker.isTupleType(type)) return this.#convertTuple(type as ts.TupleTypeReference);
    if (checker.isArrayType(type)) {
      const [items] = checker.getTypeArguments(type as ts.TypeReference);
      return { type: "array", ...(items && { items: this.schemaOf(items) }) };
    }
    const written = this.#returnTypeOf(type, "toJSON");
    if (written) return this.#isDate(type) ? { type: "string", format: "date-time" } : this.schemaOf(written);
    if (this.#isBuiltIn(type)) return { type: "object" };
    return this.#convertProperties(type);
  }

  #convertTuple(type: ts.TupleTypeReference): Fields {
    const { elementFlags, minLength } = type.target;
    const elements = this.#checker.getTypeArguments(type);
    const variable = elementFlags.findIndex((flags) => flags & this.#ts.ElementFlags.Variable);
    const fixed = variable === -1 ? elements : elements.slice(0, variable);
    // Elements after those of variable number have no fixed places.
    const others = elements.slice(fixed.length).map((element) => this.schemaOf(element));
    return {
      type: "array",
      prefixItems: fixed.map((element) => this.schemaOf(element)),
      minItems: minLength,
      ...(others.length === 0 ? { maxItems: fixed.length } : { items: anyOf(others) }),
    };
  }

  #convertProperties(type: ts.Type): Fields {
    const properties: Record<string, Fields> = {};
    const required: string[] = [];
    for (const property of this.#checker.getPropertiesOfType(type)) {
      const propertyType = this.#checker.getTypeOfSymbol(property);
      const isAccessor = property.flags & this.#ts.SymbolFlags.Accessor;
      if (isAccessor || !this.#isPublic(property) || !this.#isWritten(propertyType)) continue;
      properties[property.name] = { ...this.schemaOf(propertyType), ...this.#descriptionOf(property) };
      if (!this.#isOptional(property, propertyType)) required.push(property.name);
    }
    const [index] = this.#checker.getIndexInfosOfType(type);
    return {
      type: "object",
      ...this.#descriptionOf(type.aliasSymbol ?? type.getSymbol()),
      ...(index && Object.keys(properties).length === 0 ? {} : { properties }),
      ...(required.length === 0 ? {} : { required }),
      ...(index ? { additionalProperties: this.schemaOf(index.type) } : {}),
    };
  }

  /** False for what JSON.stringify leaves out: functions, symbols, `undefined`. */
  #isWritten(type: ts.Type): boolean {
    const { Undefined, Void, Never, ESSymbolLike } = this.#ts.TypeFlags;
    if (type.flags & (Undefined | Void | Never | ESSymbolLike)) return false;
    if (type.isUnion()) return type.types.some((member) => this.#isWritten(member));
    return type.getCallSignatures().length === 0 && type.getConstructSignatures().length === 0;
  }

  #isPublic(property: ts.Symbol): boolean {
    // The compiler's names of properties that are symbols or #private.
    if (/^__[@#]/.test(property.escapedName as string)) return false;
    const { Private, Protected } = this.#ts.ModifierFlags;
    const declaration = property.valueDeclaration;
    return !declaration || !(this.#ts.getCombinedModifierFlags(declaration) & (Private | Protected));
  }

  #isOptional(property: ts.Symbol, type: ts.Type): boolean {
    const { Any, Unknown, Undefined, Void } = this.#ts.TypeFlags;
    if (property.flags & this.#ts.SymbolFlags.Optional || type.flags & (Any | Unknown)) return true;
    return type.isUnion() && type.types.some(({ flags }) => flags & (Undefined | Void));
  }

  #returnTypeOf(type: ts.Type, method: string): ts.Type | undefined {
    const property = type.getProperty(method);
    const [signature] = property ? this.#checker.getTypeOfSymbol(property).getCallSignatures() : [];
    return signature?.getReturnType();
  }

  #isDate(type: ts.Type): boolean {
    return type.getSymbol()?.name === "Date" && this.#isBuiltIn(type);
  }

  /** Whether the language itself declares the type, such as `Map`. */
  #isBuiltIn(type: ts.Type): boolean {
    const { Class, Interface } = this.#ts.SymbolFlags;
    const symbol = type.getSymbol();
    return symbol !== undefined && (symbol.flags & (Class | Interface)) !== 0 && this.#isOfLanguage(symbol);
  }

  #isOfLanguage({ declarations = [] }: ts.Symbol): boolean {
    return declarations.some((one) => this.#program.isSourceFileDefaultLibrary(one.getSourceFile()));
  }

  #descriptionOf(symbol: ts.Symbol | undefined): Fields {
    if (!symbol || this.#isOfLanguage(symbol)) return {};
    const description = this.#ts.displayPartsToString(symbol.getDocumentationComment(this.#checker)).trim();
    return description === "" ? {} : { description };
  }
}

function anyOf(schemas: readonly Fields[]): Fields {
  const distinct = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
  return distinct.length > 1 ? { anyOf: distinct } : (distinct[0] ?? {});
}
