import { expect, it } from 'vitest';
import { toTime } from './common-schemas.ts';

const tenUtc = Date.UTC(2026, 0, 1, 10);

it.each([
  ['2026-01-01T10:00:00Z', tenUtc],
  ['2026-01-01T12:00:00+02:00', tenUtc],
  ['2026-01-01T10:00:00', tenUtc],
  ['2026-01-01T10:00', tenUtc],
  ['2026-01-01', Date.UTC(2026, 0, 1)],
])('reads the time %s as UTC unless it has an offset, whatever the zone of the server is', (text, expected) => {
  expect(toTime('query/from', text)).toBe(expected);
});

it.each(['2026-01-01 10:00:00', '2026-01-01T10:00:00 02:00', '2026-01-01T10:00:00+0200', '1767261600000', '10:00'])(
  'refuses the time %j',
  (text) => {
    expect(() => toTime('query/from', text)).toThrow(/^query\/from must be an ISO 8601 timestamp/);
  },
);
