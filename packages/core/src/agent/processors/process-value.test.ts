import { describe, expect, it } from 'vitest';
import type { JSONValue } from '../../model/providers/model-port.ts';
import type { TextPass } from './bound-processor.ts';
import { processValue } from './process-value.ts';
import { isTextFile, processFile } from './text-file.ts';

/** A processor that replaces texts, with the texts that it has seen. */
function replacing(from: string, to: string) {
  const seen: string[] = [];
  const pass: TextPass = async (text) => {
    seen.push(text);
    return { text: text.replaceAll(from, to), held: '' };
  };
  return { passes: [pass], seen };
}

describe('a value of JSON', () => {
  it('is read as a line for each value, after its name', async () => {
    const { passes, seen } = replacing('secret', '…');
    const value: JSONValue = { who: { name: 'Ada', age: 36 }, likes: ['tea', { at: null }], ok: true };
    expect(await processValue(passes, value)).toBe(value);
    expect(seen).toEqual(['name: Ada\nage: 36\nlikes: tea\nat: null\nok: true']);
  });

  it('keeps its form where names and values change one by one', async () => {
    const { passes } = replacing('a', 'b');
    expect(await processValue(passes, { a: ['a', 1, true, null, { c: 'da' }] })).toEqual({
      b: ['b', 1, true, null, { c: 'db' }],
    });
  });

  it('becomes a text where only all of it together passes', async () => {
    const { passes } = replacing('name: Ada', 'nobody');
    expect(await processValue(passes, { name: 'Ada', age: 36 })).toBe('nobody\nage: 36');
  });

  it('that is a number may become a text', async () => {
    expect(await processValue(replacing('42', 'many').passes, { count: 42 })).toEqual({ count: 'many' });
  });

  it.each(['tea', 'a'.repeat(255), 'data:text/plain,tea'])('that is a text passes as such: %#', async (value) => {
    const { passes, seen } = replacing('t', 'T');
    expect(await processValue(passes, value)).toBe(value.replaceAll('t', 'T'));
    expect(seen).toEqual([value]);
  });

  it.each(['a'.repeat(256), `${'Ab1+/_-'.repeat(40)}==`, 'data:image/png;base64,AQID', 'DATA:;base64,'])(
    'that is a file is not read: %#',
    async (value) => {
      const { passes, seen } = replacing('A', 'B');
      expect(await processValue(passes, value)).toBe(value);
      expect(await processValue(passes, { file: value, note: 'A' })).toEqual({ file: value, note: 'B' });
      expect(seen.join()).not.toContain(value);
    },
  );

  it('that only contains what a file looks like is read', async () => {
    const texts = ['see data:image/png;base64,AQID', `${'A'.repeat(256)}!`, `!${'A'.repeat(256)}`];
    for (const text of texts)
      expect(await processValue(replacing('A', 'B').passes, text)).toBe(text.replaceAll('A', 'B'));
  });

  it('keeps fields without a name, and leaves out those without a value', async () => {
    const { passes, seen } = replacing('tea', 'water');
    const value = { '': 'tea', gone: undefined } as unknown as JSONValue;
    expect(await processValue(passes, value)).toEqual({ '': 'water' });
    expect(seen[0]).toBe('tea');
  });

  it('passes without processors as it is', async () => {
    const value = { a: 1 };
    expect(await processValue([], value)).toBe(value);
  });
});

describe('a file', () => {
  it.each([
    ['text/plain', true],
    ['TEXT/csv; charset=utf-8', true],
    ['application/json', true],
    ['application/ld+json', true],
    ['application/vnd.api+xml', true],
    ['application/x-yaml', true],
    ['application/sql', true],
    ['application/pdf', false],
    ['application/jsonp', false],
    ['image/png', false],
    ['x-text/plain', false],
    ['texture/a', false],
    ['image/application/json', false],
    [undefined, false],
  ])('of the type %s is a text: %s', (mediaType, isText) => {
    expect(isTextFile(mediaType)).toBe(isText);
  });

  it('passes as text, and stays as it is where nothing changes', async () => {
    const { passes, seen } = replacing('secret', '…');
    const base64 = Buffer.from('a secret').toString('base64');
    const bytes = new TextEncoder().encode('no change');
    expect(await processFile(passes, base64)).toBe(Buffer.from('a …').toString('base64'));
    expect(await processFile(passes, new TextEncoder().encode('secret'))).toBe(Buffer.from('…').toString('base64'));
    expect(await processFile(passes, bytes)).toBe(bytes);
    expect(seen).toEqual(['a secret', 'secret', 'no change']);
  });
});
