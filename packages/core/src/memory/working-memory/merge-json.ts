import type { JsonObject, JsonValue } from '@halyard/contracts';

/**
 * Merges objects field by field and joins arrays without repeated items; any other value is
 * replaced by the added one.
 */
export function mergeJson(stored: JsonValue, added: JsonValue): JsonValue {
  if (isJsonArray(stored) && isJsonArray(added)) return withoutRepeats([...stored, ...added]);
  if (!isJsonObject(stored) || !isJsonObject(added)) return added;

  const fields = new Map(Object.entries(stored));
  for (const [name, value] of Object.entries(added)) {
    const present = fields.get(name);
    fields.set(name, present === undefined ? value : mergeJson(present, value));
  }
  // An assignment would set the prototype for a field called `__proto__`.
  return Object.fromEntries(fields);
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isJsonArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** The first of each item that is there several times. */
export function withoutRepeats(items: readonly JsonValue[]): readonly JsonValue[] {
  const byText = new Map<string, JsonValue>();
  for (const item of items) {
    const text = canonicalText(item);
    if (!byText.has(text)) byText.set(text, item);
  }
  return [...byText.values()];
}

/** The items without those that equal one of `removed`. */
export function withoutItems(items: readonly JsonValue[], removed: readonly JsonValue[]): readonly JsonValue[] {
  const texts = new Set(removed.map(canonicalText));
  return items.filter((item) => !texts.has(canonicalText(item)));
}

/** Equal values have equal texts, in any order of their fields. */
function canonicalText(value: JsonValue): string {
  if (isJsonArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}:${canonicalText(field)}`);
  return `{${fields.toSorted().join(',')}}`;
}
