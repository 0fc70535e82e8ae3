import type { JsonValue } from '@halyard/contracts';

/** A deeper value is treated as a cycle. */
const greatestDepth = 512;

/**
 * Copies a value as JSON, as `JSON.parse(JSON.stringify(value))` does: a Date becomes its ISO
 * string, `undefined` is dropped from objects, a class instance becomes its fields. `undefined`
 * itself becomes null.
 *
 * @throws NotJsonError for a value that JSON cannot represent: a BigInt, a Map, a Set, a function,
 * a symbol, a cycle.
 */
export function toJson(value: unknown): JsonValue {
  return convert(value, '', 0) ?? null;
}

/** Copies JSON for code that may change it. */
export function copyJson<Value>(value: Value): Value {
  return convert(value, '', 0) as Value;
}

/** `message` names the value and its field, as part of a sentence: `a Map in "items"`. */
export class NotJsonError extends TypeError {}

function convert(value: unknown, key: string, depth: number): JsonValue | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value + 0 : null;
    case 'undefined':
      return undefined;
    case 'object':
      return value === null ? null : convertObject(value, key, depth);
    default:
      throw notJson(typeof value === 'bigint' ? 'a BigInt' : `a ${typeof value}`, key);
  }
}

function convertObject(value: object, key: string, depth: number): JsonValue | undefined {
  if (depth > greatestDepth) throw notJson('a cycle, or something nested too deep', key);
  if (Array.isArray(value)) return value.map((item: unknown) => convert(item, key, depth + 1) ?? null);
  if (hasToJson(value)) return convert(value.toJSON(key), key, depth + 1);
  if (value instanceof Map) throw notJson('a Map', key);
  if (value instanceof Set) throw notJson('a Set', key);
  if (boxes.has(Object.prototype.toString.call(value))) return convert(value.valueOf(), key, depth);
  return convertFields(value, depth);
}

/** `Object(1)` and the like are converted as the values that they wrap. */
const boxes: ReadonlySet<string> = new Set(['[object Number]', '[object String]', '[object Boolean]']);

function hasToJson(value: object): value is { toJSON(key: string): unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function';
}

function convertFields(value: object, depth: number): JsonValue {
  const copy: Record<string, JsonValue> = {};
  const fields = value as Readonly<Record<string, unknown>>;
  for (const name in value) {
    if (!Object.hasOwn(value, name)) continue;
    const converted = convert(fields[name], name, depth + 1);
    if (converted === undefined) continue;
    if (name === '__proto__') Object.defineProperty(copy, name, { value: converted, enumerable: true });
    else copy[name] = converted;
  }
  return copy;
}

function notJson(what: string, key: string): NotJsonError {
  return new NotJsonError(`${what}${key === '' ? '' : ` in "${key}"`}`);
}
