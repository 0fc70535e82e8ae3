import { assert, constantFrom, property, string } from 'fast-check';
import { expect, it } from 'vitest';
import { fromText, toText } from './text-codec.ts';

const hostile = string({ unit: constantFrom('a', '\0', '\uD83E', '\uDD86', '␛', '0', '241b', 'é', '/') });

it('gives every string back, also those that no database holds', () => {
  assert(
    property(hostile, (value) => {
      const text = toText(value);
      expect(text.isWellFormed()).toBe(true);
      expect(text).not.toContain('\0');
      expect(fromText(text)).toBe(value);
    }),
  );
});

it('lets paths begin alike that did before', () => {
  assert(
    property(hostile, hostile, (path, name) => {
      expect(toText(`${path}/${name}`).startsWith(`${toText(path)}/`)).toBe(true);
    }),
  );
});
