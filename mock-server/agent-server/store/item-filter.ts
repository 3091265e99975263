import { HttpError } from "../../kit/http/http-error.ts";
import type { Fields } from "../engine/contract.ts";

type Test = (value: unknown) => boolean;

const operators: Record<string, (wanted: unknown) => Test> = {
  $eq: (wanted) => (value) => isSame(value, wanted),
  $ne: (wanted) => (value) => !isSame(value, wanted),
  $gt: (wanted) => (value) => compare(value, wanted, (order) => order > 0),
  $gte: (wanted) => (value) => compare(value, wanted, (order) => order >= 0),
  $lt: (wanted) => (value) => compare(value, wanted, (order) => order < 0),
  $lte: (wanted) => (value) => compare(value, wanted, (order) => order <= 0),
};

/**
 * Makes a predicate for values. Each field of the filter is a value to equal, or an object of operators (`$eq`, `$ne`,
 * `$gt`, `$gte`, `$lt`, `$lte`).
 * @throws {HttpError} 422 for an unknown operator.
 */
export function itemFilter(filter: Fields): (value: Fields) => boolean {
  const tests = Object.entries(filter).map(([field, wanted]): [string, Test] => [field, testOf(field, wanted)]);
  return (value) => tests.every(([field, passes]) => passes(Object.hasOwn(value, field) ? value[field] : undefined));
}

function testOf(field: string, wanted: unknown): Test {
  const entries = typeof wanted === "object" && wanted !== null && !Array.isArray(wanted) ? Object.entries(wanted) : [];
  if (!entries.some(([name]) => name.startsWith("$"))) return (value) => isSame(value, wanted);
  const tests = entries.map(([name, operand]) => {
    const operator = Object.hasOwn(operators, name) ? operators[name] : undefined;
    if (operator) return operator(operand);
    throw new HttpError(
      422,
      `filter.${field}: "${name}" isn't an operator. Use one of ${Object.keys(operators).join(", ")}.`,
    );
  });
  return (value) => tests.every((passes) => passes(value));
}

function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [Object.entries(a), b as Fields];
  return (
    left.length === Object.keys(right).length &&
    left.every(([name, value]) => Object.hasOwn(right, name) && isSame(value, right[name]))
  );
}

/** Compares numbers with numbers and strings with strings; false for anything else. */
function compare(a: unknown, b: unknown, passes: (order: number) => boolean): boolean {
  if (typeof a === "number" && typeof b === "number") return passes(a - b);
  if (typeof a === "string" && typeof b === "string") return passes(a < b ? -1 : a > b ? 1 : 0);
  return false;
}

const wordsOf = (text: string) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);

/**
 * The share of a query's words that a value contains, from 0 to 1. Replaces the distance of embeddings, which a mock
 * server doesn't compute.
 */
export function scoreOf(query: string, value: Fields): number {
  const wanted = wordsOf(query);
  if (wanted.size === 0) return 0;
  const present = wordsOf(JSON.stringify(value));
  return [...wanted].filter((word) => present.has(word)).length / wanted.size;
}
