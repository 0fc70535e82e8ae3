import type { JsonObject, JsonValue } from '@halyard/contracts';
import type { JsonSchema } from '../../schema/schema.ts';
import { escapePointer } from '../../schema/walk-schema.ts';
import { type Fields, fieldsFromSchema, itemsFromSchema } from './fields.ts';
import { isJsonArray, isJsonObject, withoutItems, withoutRepeats } from './merge-json.ts';

/**
 * Changes the fields of a stored object, at any depth: null removes a field that is not required, a
 * list replaces the stored one, `{ add, remove }` changes its items, and any other value is
 * replaced.
 */
export function changeFields(stored: JsonObject, change: JsonObject, fields: Fields): JsonObject {
  const changed = new Map(Object.entries(stored));
  for (const [name, value] of Object.entries(change)) {
    const next =
      value === null && !fields.isRequired(name)
        ? undefined
        : changeValue(changed.get(name), value, fields.schemaOf(name));
    if (next === undefined) changed.delete(name);
    else changed.set(name, next);
  }
  return Object.fromEntries(changed);
}

/** @returns undefined for a list that is not stored and to which nothing is added. */
function changeValue(
  stored: JsonValue | undefined,
  value: JsonValue,
  schema: JsonSchema | undefined,
): JsonValue | undefined {
  const items = itemsFromSchema(schema);
  if (items !== undefined) {
    const whole = (list: readonly JsonValue[]): JsonValue[] =>
      list.map((item) => changeValue(undefined, item, items) ?? []);
    if (isJsonArray(value)) return whole(value);
    if (!isItemChange(value)) return value;
    const added = whole(value.add ?? []);
    if (stored === undefined && added.length === 0) return undefined;
    const kept = withoutItems(isJsonArray(stored) ? stored : [], whole(value.remove ?? []));
    return withoutRepeats([...kept, ...added]);
  }
  const fields = fieldsFromSchema(schema);
  if (fields === undefined || !isJsonObject(value)) return value;
  return changeFields(isJsonObject(stored) ? stored : {}, value, fields);
}

/**
 * A change without the fields that the schema does not have, and the paths of these, from `at` on.
 */
export function knownFields(
  change: JsonObject,
  fields: Fields,
  at = '',
): { readonly known: JsonObject; readonly unknown: readonly string[] } {
  const unknown: string[] = [];
  const known = Object.entries(change).flatMap(([name, value]): [string, JsonValue][] => {
    const schema = fields.schemaOf(name);
    const path = `${at}${escapePointer(name)}`;
    if (schema !== undefined || fields.areOpen) return [[name, knownValue(value, schema, path, unknown)]];
    unknown.push(path);
    return [];
  });
  return { known: Object.fromEntries(known), unknown };
}

function knownValue(value: JsonValue, schema: JsonSchema | undefined, path: string, unknown: string[]): JsonValue {
  const items = itemsFromSchema(schema);
  if (items !== undefined) {
    const list = (given: readonly JsonValue[], at: string): JsonValue[] =>
      given.map((item, index) => knownValue(item, items, `${at}/${index}`, unknown));
    if (isJsonArray(value)) return list(value, path);
    if (!isItemChange(value)) return value;
    return { add: list(value.add ?? [], `${path}/add`), remove: list(value.remove ?? [], `${path}/remove`) };
  }
  const fields = fieldsFromSchema(schema);
  if (fields === undefined || !isJsonObject(value)) return value;
  const inner = knownFields(value, fields, `${path}/`);
  unknown.push(...inner.unknown);
  return inner.known;
}

interface ItemChange {
  readonly add?: readonly JsonValue[] | null;
  readonly remove?: readonly JsonValue[] | null;
}

function isItemChange(value: JsonValue): value is JsonObject & ItemChange {
  if (!isJsonObject(value) || Object.keys(value).length === 0) return false;
  return Object.entries(value).every(
    ([name, items]) => (name === 'add' || name === 'remove') && (items === null || isJsonArray(items)),
  );
}
