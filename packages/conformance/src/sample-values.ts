import type { JsonValue } from '@halyard/contracts';

/** A key or text that looks like a query or a pattern. */
export const hostileText = `'; DROP TABLE conversations; -- %_\\"$1{}[]*`;

/**
 * Text that many databases refuse: NUL, unpaired surrogates, and texts similar to an escape for
 * them.
 */
export const unstorableText = 'NUL \0, halves \uD83E and \uDD86, whole 🦆, \\u0000, mark ␛0000';

/** Values that adapters may lose or change, each by its special property. */
export const sampleValues: Readonly<Record<string, JsonValue>> = {
  nested: { a: [{ b: [[], {}, [null]] }], '': { '': '' } },
  'deeply nested': Array.from({ length: 60 }).reduce<JsonValue>((inner) => ({ inner: [inner] }), 'deep'),
  unicode: { text: 'Größe 漢字 🦆 \u2028 e\u0301 é \uFEFF', quotes: `"'\\\n\r\n\t\u0001`, 'key \u00e9 🦆': 1 },
  'values that many databases refuse': { [unstorableText]: [unstorableText, { [unstorableText]: unstorableText }] },
  'numbers with full precision': [
    0, -1, 1.5, 9_007_199_254_740_991, -9_007_199_254_740_991, 1e21, 5e-324, 1.7e308, 0.1,
  ],
  'empty values': ['', [], {}, null, false, 0],
  'keys of Object.prototype': JSON.parse(
    '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":2}}}',
  ) as JsonValue,
  'spaces and texts that look like JSON or SQL': [' ', '\n', ' a ', 'null', 'true', '1', '{}', '[]', '"', hostileText],
  'a text of a megabyte': '🦆é'.repeat(200_000),
  'a long list': Array.from({ length: 2_000 }, (_, index) => ({ index })),
};

/**
 * Ids of users as identity providers issue them, and the longest ones. Those that differ only in
 * normalisation, case or encoding are different users.
 */
export const providerUserIds: readonly string[] = [
  'auth0|507f1f77bcf86cd799439011',
  'ada+tag@example.org',
  'Ada+tag@example.org',
  'org/7',
  'org%2F7',
  '用户',
  'caf\u00e9',
  'cafe\u0301',
  ' ',
  '𝒳'.repeat(256),
  '␛'.repeat(256),
];
