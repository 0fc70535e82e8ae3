import { fitsFormat } from './formats.ts';
import { isObject, isSame, listOf, numberOf, objectOf, stringOf, stringsOf, type Schema } from './json.ts';
import { matchesPattern } from './pattern.ts';
import { resolveRef } from './resolve-ref.ts';

/** How many schemas may still be visited: hostile ones multiply with each level. */
export interface Visits {
  left: number;
}

/** The visits of one value, and of the search for one. They take a tenth of a second. */
export function limitedVisits(): Visits {
  return { left: 50_000 };
}

/** Whether a value matches a JSON Schema (drafts 7 and 2020-12, without remote references). Returns false in unclear cases, and when no visits are left. */
export function fitsSchema(value: unknown, schema: unknown, root: unknown, visits: Visits = limitedVisits()): boolean {
  return fitsAt(value, schema, { root, visits }, 0) && visits.left > 0;
}

interface Check {
  readonly root: unknown;
  readonly visits: Visits;
}

function fitsAt(value: unknown, schema: unknown, check: Check, depth: number): boolean {
  check.visits.left -= 1;
  if (schema === true || schema === undefined) return true;
  if (!isObject(schema) || depth > 100 || check.visits.left <= 0) return false;
  return (
    fitsType(value, schema['type']) &&
    fitsOptions(value, schema) &&
    (typeof value !== 'number' || fitsNumber(value, schema)) &&
    (typeof value !== 'string' || fitsString(value, schema)) &&
    (!Array.isArray(value) || fitsArray(value, schema, check, depth)) &&
    (!isObject(value) || fitsObject(value, schema, check, depth)) &&
    fitsCombinations(value, schema, check, depth)
  );
}

/** The JSON Schema name of a value's type; `integer` is `number` here. */
function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function fitsType(value: unknown, type: unknown): boolean {
  if (type === undefined) return true;
  const types = Array.isArray(type) ? type : [type];
  return types.includes(typeOf(value)) || (types.includes('integer') && Number.isInteger(value));
}

function fitsOptions(value: unknown, schema: Schema): boolean {
  if (Array.isArray(schema['enum']) && !schema['enum'].some((option) => isSame(option, value))) return false;
  return !Object.hasOwn(schema, 'const') || isSame(schema['const'], value);
}

function fitsNumber(value: number, schema: Schema): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, format } = schema;
  return (
    Number.isFinite(value) &&
    (format !== 'int32' || (value | 0) === value) &&
    (format !== 'int64' || Number.isInteger(value)) &&
    value >= (numberOf(minimum) ?? -Infinity) &&
    value <= (numberOf(maximum) ?? Infinity) &&
    (numberOf(exclusiveMinimum) === undefined || value > Number(exclusiveMinimum)) &&
    (numberOf(exclusiveMaximum) === undefined || value < Number(exclusiveMaximum)) &&
    (numberOf(multipleOf) === undefined || Number.isInteger(value / Number(multipleOf)))
  );
}

function fitsString(value: string, schema: Schema): boolean {
  const length = [...value].length;
  const pattern = stringOf(schema['pattern']);
  const format = stringOf(schema['format']);
  return (
    length >= (numberOf(schema['minLength']) ?? 0) &&
    length <= (numberOf(schema['maxLength']) ?? Infinity) &&
    (pattern === undefined || matchesPattern(pattern, value)) &&
    (format === undefined || fitsFormat(value, format))
  );
}

function fitsArray(value: readonly unknown[], schema: Schema, check: Check, depth: number): boolean {
  const { prefix, rest } = itemSchemas(schema);
  if (value.length < (numberOf(schema['minItems']) ?? 0) || value.length > (numberOf(schema['maxItems']) ?? Infinity))
    return false;
  if (schema['uniqueItems'] === true && !isUnique(value, check)) return false;
  if (!value.every((item, index) => fitsAt(item, index < prefix.length ? prefix[index] : rest, check, depth + 1)))
    return false;
  if (schema['contains'] === undefined) return true;
  const contained = value.filter((item) => fitsAt(item, schema['contains'], check, depth + 1)).length;
  return (
    contained >= (numberOf(schema['minContains']) ?? 1) && contained <= (numberOf(schema['maxContains']) ?? Infinity)
  );
}

/** Each pair of items is compared. */
function isUnique(items: readonly unknown[], { visits }: Check): boolean {
  visits.left -= items.length ** 2 / 100;
  return (
    visits.left > 0 && !items.some((item, index) => items.slice(0, index).some((earlier) => isSame(earlier, item)))
  );
}

/** The schemas of the first items, and the schema of all later items, in the syntax of either draft. */
export function itemSchemas(schema: Schema): { readonly prefix: readonly unknown[]; readonly rest: unknown } {
  const { items, prefixItems, additionalItems } = schema;
  if (Array.isArray(items)) return { prefix: items, rest: additionalItems ?? true };
  return { prefix: listOf(prefixItems), rest: items ?? true };
}

function fitsObject(value: Schema, schema: Schema, check: Check, depth: number): boolean {
  const keys = Object.keys(value);
  if (
    keys.length < (numberOf(schema['minProperties']) ?? 0) ||
    keys.length > (numberOf(schema['maxProperties']) ?? Infinity)
  )
    return false;
  if (!stringsOf(schema['required']).every((key) => Object.hasOwn(value, key))) return false;
  const names = schema['propertyNames'];
  for (const key of keys) {
    if (names !== undefined && !fitsAt(key, names, check, depth + 1)) return false;
    if (!propertySchemas(key, schema).every((part) => fitsAt(value[key], part, check, depth + 1))) return false;
  }
  return Object.entries(dependenciesOf(schema)).every(
    ([key, needed]) =>
      !Object.hasOwn(value, key) ||
      (Array.isArray(needed)
        ? stringsOf(needed).every((other) => Object.hasOwn(value, other))
        : fitsAt(value, needed, check, depth + 1)),
  );
}

/** The requirements of a present property: keys, or a schema for the whole object. */
export function dependenciesOf(schema: Schema): Schema {
  return {
    ...objectOf(schema['dependencies']),
    ...objectOf(schema['dependentSchemas']),
    ...objectOf(schema['dependentRequired']),
  };
}

/** All schemas that the property of this name must match. */
export function propertySchemas(key: string, schema: Schema): readonly unknown[] {
  const properties = objectOf(schema['properties']);
  const named = Object.hasOwn(properties, key) ? [properties[key]] : [];
  const byPattern = Object.entries(objectOf(schema['patternProperties'])).filter(([pattern]) =>
    matchesPattern(pattern, key),
  );
  const known = [...named, ...byPattern.map(([, part]) => part)];
  return known.length > 0 || schema['additionalProperties'] === undefined ? known : [schema['additionalProperties']];
}

function fitsCombinations(value: unknown, schema: Schema, check: Check, depth: number): boolean {
  const fits = (part: unknown): boolean => fitsAt(value, part, check, depth + 1);
  const { $ref, allOf, anyOf, oneOf, not } = schema;
  if (typeof $ref === 'string') {
    const target = resolveRef($ref, check.root);
    if (target === undefined || !fits(target)) return false;
  }
  if (!listOf(allOf).every(fits)) return false;
  if (Array.isArray(anyOf) && !anyOf.some(fits)) return false;
  if (Array.isArray(oneOf) && oneOf.filter(fits).length !== 1) return false;
  if (not !== undefined && fits(not)) return false;
  if (schema['if'] === undefined) return true;
  return fits(fits(schema['if']) ? schema['then'] : schema['else']);
}
