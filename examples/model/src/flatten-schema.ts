import type { Visits } from './fits-schema.ts';
import { isObject, isSame, listOf, numberOf, objectOf, stringsOf, type Schema } from './json.ts';
import { resolveRef } from './resolve-ref.ts';

/** A schema with its references and `allOf` merged in, and the remaining choices. */
export interface FlatSchema {
  readonly base: Schema;
  /** One element of each list applies: `anyOf`, `oneOf`, the two branches of `if`, several types. */
  readonly choices: readonly (readonly unknown[])[];
}

/**
 * Merges the keywords of a schema at one place; undefined if no value can match. If two keywords cannot be merged exactly, the result may
 * allow more: values are checked against the original.
 */
export function flatten(schema: unknown, root: unknown, visits: Visits): FlatSchema | undefined {
  const choices: (readonly unknown[])[] = [];
  const seen = new Set<unknown>();
  let base: Schema = {};
  const open: unknown[] = [schema];
  for (let part = open.shift(); part !== undefined; part = open.shift()) {
    visits.left -= 1;
    if (visits.left <= 0) return undefined;
    if (part === true || seen.has(part)) continue;
    if (!isObject(part)) return undefined;
    seen.add(part);
    const { $ref, allOf, anyOf, oneOf, if: condition, then, else: otherwise, ...rest } = part;
    if (typeof $ref === 'string') {
      const target = resolveRef($ref, root);
      if (target === undefined) return undefined;
      open.unshift(target);
    }
    open.unshift(...listOf(allOf));
    if (Array.isArray(anyOf)) choices.push(anyOf);
    if (Array.isArray(oneOf)) choices.push(oneOf);
    if (condition !== undefined) choices.push([{ allOf: [condition, then ?? true] }, otherwise ?? true]);
    const merged = merge(base, rest);
    if (merged === undefined) return undefined;
    base = merged;
  }
  const types = listOf(base['type']);
  if (types.length > 0 && base['enum'] === undefined && !Object.hasOwn(base, 'const')) {
    const { type: _, ...typeless } = base;
    if (types.length === 1) base = { ...typeless, type: types[0] };
    else return { base: typeless, choices: [types.map((type) => ({ type })), ...choices] };
  }
  return { base, choices };
}

function merge(a: Schema, b: Schema): Schema | undefined {
  const merged: Record<string, unknown> = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const before = Object.hasOwn(a, key) ? a[key] : undefined;
    merged[key] = before === undefined || isSame(before, value) ? value : both(key, before, value);
    if (merged[key] === impossible) return undefined;
  }
  return merged;
}

const impossible = Symbol('impossible');

function both(key: string, a: unknown, b: unknown): unknown {
  switch (key) {
    case 'type':
      return commonTypes(a, b);
    case 'enum':
      return listOf(a).filter((option) => listOf(b).some((other) => isSame(option, other)));
    case 'required':
      return [...new Set([...stringsOf(a), ...stringsOf(b)])];
    case 'minimum':
    case 'exclusiveMinimum':
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return Math.max(numberOf(a) ?? -Infinity, numberOf(b) ?? -Infinity);
    case 'maximum':
    case 'exclusiveMaximum':
    case 'maxLength':
    case 'maxItems':
    case 'maxProperties':
      return Math.min(numberOf(a) ?? Infinity, numberOf(b) ?? Infinity);
    case 'properties':
    case 'patternProperties':
      return mergedProperties(objectOf(a), objectOf(b));
    case 'items':
    case 'contains':
    case 'additionalProperties':
    case 'propertyNames':
      return a === false || b === false ? false : { allOf: [a, b] };
    case 'uniqueItems':
      return a === true || b === true;
    case 'multipleOf':
      return Math.max(numberOf(a) ?? 0, numberOf(b) ?? 0);
    default:
      return b;
  }
}

function commonTypes(a: unknown, b: unknown): unknown {
  const [first, second] = [Array.isArray(a) ? a : [a], Array.isArray(b) ? b : [b]];
  const common = [
    ...first.filter((type) => second.includes(type) || (type === 'integer' && second.includes('number'))),
    ...second.filter((type) => type === 'integer' && first.includes('number') && !first.includes('integer')),
  ];
  return common.length === 0 ? impossible : common.length === 1 ? common[0] : common;
}

function mergedProperties(a: Schema, b: Schema): Schema {
  const merged: Record<string, unknown> = { ...a };
  for (const [key, value] of Object.entries(b))
    merged[key] = Object.hasOwn(a, key) ? { allOf: [a[key], value] } : value;
  return merged;
}
