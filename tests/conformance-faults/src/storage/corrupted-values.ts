import type { JsonValue } from '@halyard/contracts';

/** The samples of values, each with a change of a store that it shows. */
export const corruptedValues: readonly (readonly [sample: string, corrupt: (value: JsonValue) => JsonValue])[] = [
  ['nested', (value) => mapped(value, (key) => (key === '' ? undefined : key))],
  ['deeply nested', (value) => shallow(value, 60)],
  ['unicode', (value) => withTexts(value, (text) => text.normalize())],
  ['values that many databases refuse', (value) => withTexts(value, (text) => text.replaceAll('\0', ''))],
  [
    'numbers with full precision',
    (value) => withLeaves(value, (leaf) => (typeof leaf === 'number' ? Math.fround(leaf) : leaf)),
  ],
  ['empty values', (value) => withLeaves(value, (leaf) => (leaf === '' ? null : leaf))],
  ['keys of Object.prototype', assigned],
  ['spaces and texts that look like JSON or SQL', (value) => withTexts(value, (text) => text.trim())],
  ['a text of a megabyte', (value) => withTexts(value, (text) => text.slice(0, 65_535))],
  ['a long list', (value) => cut(value, 1_000)],
];

/** The samples of ids, each with a change of a store that it shows. */
export const corruptedIds: readonly (readonly [sample: string, corrupt: (id: string) => string])[] = [
  ['all legal characters', (id) => id.toLowerCase()],
  ['the maximum length', (id) => id.slice(0, 128)],
  ['a name of Object.prototype', (id) => (id in {} ? '' : id)],
  ['text that looks like a query', (id) => id.replaceAll("'", "''")],
  ['values that many databases refuse', (id) => id.replaceAll('\0', '')],
  ['other scripts', (id) => id.normalize()],
  ['surrounding spaces', (id) => id.trim()],
];

function mapped(
  value: JsonValue,
  toKey: (key: string) => string | undefined,
  toLeaf: (leaf: JsonValue) => JsonValue = (leaf) => leaf,
): JsonValue {
  if (isList(value)) return value.map((item) => mapped(item, toKey, toLeaf));
  if (typeof value !== 'object' || value === null) return toLeaf(value);
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => {
      const name = toKey(key);
      return name === undefined ? [] : [[name, mapped(member, toKey, toLeaf)]];
    }),
  );
}

function withLeaves(value: JsonValue, toLeaf: (leaf: JsonValue) => JsonValue): JsonValue {
  return mapped(value, (key) => key, toLeaf);
}

function withTexts(value: JsonValue, toText: (text: string) => string): JsonValue {
  return mapped(value, toText, (leaf) => (typeof leaf === 'string' ? toText(leaf) : leaf));
}

function shallow(value: JsonValue, depth: number): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return null;
  if (isList(value)) return value.map((item) => shallow(item, depth - 1));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shallow(member, depth - 1)]));
}

function assigned(value: JsonValue): JsonValue {
  if (isList(value)) return value.map(assigned);
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, JsonValue> = {};
  for (const [key, member] of Object.entries(value)) copy[key] = assigned(member);
  return copy;
}

function cut(value: JsonValue, length: number): JsonValue {
  if (isList(value)) return value.slice(0, length).map((item) => cut(item, length));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, cut(member, length)]));
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
