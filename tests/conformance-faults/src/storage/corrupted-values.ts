import type { JsonValue } from '@halyard/contracts';

/** Ways in which stores change values, and the sample value that shows it. */
export const corruptedValues: readonly (readonly [
  fault: string,
  sample: string,
  corrupt: (value: JsonValue) => JsonValue,
])[] = [
  ['loses keys without a name', 'nested', (value) => mapped(value, (key) => (key === '' ? undefined : key))],
  ['cuts deeply nested values', 'deeply nested', (value) => shallow(value, 60)],
  ['composes characters', 'unicode', (value) => withTexts(value, (text) => text.normalize())],
  [
    'removes NUL',
    'values that many databases refuse',
    (value) => withTexts(value, (text) => text.replaceAll('\0', '')),
  ],
  [
    'replaces unpaired surrogates',
    'values that many databases refuse',
    (value) => withTexts(value, (text) => text.toWellFormed()),
  ],
  ['keeps numbers of single precision', 'numbers with full precision', (value) => withNumbers(value, Math.fround)],
  ['stores empty texts as null', 'empty values', (value) => withLeaves(value, (leaf) => (leaf === '' ? null : leaf))],
  ['assigns keys one by one', 'keys of Object.prototype', assigned],
  ['trims texts', 'spaces and texts that look like JSON or SQL', (value) => withTexts(value, (text) => text.trim())],
  ['cuts texts', 'a text of a megabyte', (value) => withTexts(value, (text) => text.slice(0, 65_535))],
  ['cuts lists', 'a long list', (value) => cut(value, 1_000)],
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

function withNumbers(value: JsonValue, toNumber: (number: number) => number): JsonValue {
  return withLeaves(value, (leaf) => (typeof leaf === 'number' ? toNumber(leaf) : leaf));
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

/** Ways in which stores change ids. */
export const corruptedIds: readonly (readonly [fault: string, what: string, corrupt: (id: string) => string])[] = [
  ['writes ids in small letters', 'all legal characters', (id) => id.toLowerCase()],
  ['cuts ids', 'the maximum length', (id) => id.slice(0, 128)],
  ['uses ids as keys of an object', 'a name of Object.prototype', (id) => (id in {} ? '' : id)],
  ['doubles quotes in ids', 'text that looks like a query', (id) => id.replaceAll("'", "''")],
  ['removes NUL from ids', 'values that many databases refuse', (id) => id.replaceAll('\0', '')],
  ['composes the characters of ids', 'other scripts', (id) => id.normalize()],
  ['trims ids', 'surrounding spaces', (id) => id.trim()],
];
