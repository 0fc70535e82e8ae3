import { assert, constantFrom, property, string } from 'fast-check';
import { expect, it } from 'vitest';
import { fromText, toText } from './text-codec.ts';

const hostile = string({ unit: constantFrom('a', '\0', '\uD83E', '\uDD86', '␛', '0', '241b', 'é', '/') });

it('decodes every string that it encodes, also those that PostgreSQL cannot store', () => {
  assert(
    property(hostile, (value) => {
      const text = toText(value);
      expect(text.isWellFormed()).toBe(true);
      expect(text).not.toContain('\0');
      expect(fromText(text)).toBe(value);
    }),
  );
});

it('keeps the prefix of a path', () => {
  assert(
    property(hostile, hostile, (path, name) => {
      expect(toText(`${path}/${name}`).startsWith(`${toText(path)}/`)).toBe(true);
    }),
  );
});
