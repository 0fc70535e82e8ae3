import { ConfigurationError } from '@halyard/contracts';
import { describe, expect, it } from 'vitest';
import { acceptSmoothing, type SmoothStreamOptions } from './smooth-stream.ts';

const accept = (option: boolean | SmoothStreamOptions | undefined) => acceptSmoothing('agent "a"', option);
const chunkOf = (chunking: SmoothStreamOptions['chunking'], text: string): unknown =>
  accept(chunking === undefined ? {} : { chunking })?.findChunk(text);

describe('smoothing', () => {
  it('is off by default, and waits 10 ms where nothing else is set', () => {
    expect([accept(undefined), accept(false)]).toEqual([undefined, undefined]);
    expect([accept(true), accept({}), accept({ delayInMs: null }), accept({ delayInMs: 0 })]).toMatchObject([
      { delayMs: 10 },
      { delayMs: 10 },
      { delayMs: 0 },
      { delayMs: 0 },
    ]);
    expect(accept({ delayInMs: 2.5 })?.delayMs).toBe(2.5);
  });

  it.each<[SmoothStreamOptions['chunking'], string, string | undefined]>([
    [undefined, 'Hello world', 'Hello '],
    ['word', 'Hello', undefined],
    ['word', '  Hello\n\nworld', '  Hello\n\n'],
    ['line', 'a b\n\nc', 'a b\n\n'],
    ['line', 'a b', undefined],
    [/[.!]/, 'a.b!', 'a.'],
    [/[.!]/gy, 'a.b!', 'a.'],
    [/B/i, 'abc', 'ab'],
    [(text) => text.slice(0, 2), 'abc', 'ab'],
    [() => null, 'abc', undefined],
    [() => undefined, 'abc', undefined],
    [new Intl.Segmenter('en', { granularity: 'word' }), 'ab c', 'ab'],
    [new Intl.Segmenter('en', { granularity: 'word' }), 'ab', undefined],
    [new Intl.Segmenter('en', { granularity: 'word' }), '', undefined],
  ])('by %s finds in %j the chunk %j', (chunking, text, chunk) => {
    expect(chunkOf(chunking, text)).toBe(chunk);
  });

  it('finds the same chunk of a global expression again', () => {
    const findChunk = accept({ chunking: /\w /g })?.findChunk;
    expect([findChunk?.('a b '), findChunk?.('a b ')]).toEqual(['a ', 'a ']);
  });

  it.each<[object, string]>([
    [{ delayInMs: -1 }, '`delayInMs` of agent "a" must be a number of milliseconds from 0 on, or null'],
    [{ delayInMs: NaN }, '`delayInMs` of agent "a" must be'],
    [{ delayInMs: Infinity }, '`delayInMs` of agent "a" must be'],
    [{ chunking: 'letter' }, '`chunking` of agent "a" must be "word", "line", a RegExp'],
  ])('refuses %o', (options, message) => {
    expect(() => accept(options)).toThrow(ConfigurationError);
    expect(() => accept(options)).toThrow(message);
  });

  it.each<[SmoothStreamOptions['chunking'], string]>([
    [/x*/, '`chunking` of agent "a" must not match an empty text'],
    [() => '', '`chunking` of agent "a" must return the beginning of the text'],
    [() => 'b', '`chunking` of agent "a" must return the beginning of the text'],
  ])('fails while it runs by %s', (chunking, message) => {
    expect(() => chunkOf(chunking, 'abc')).toThrow(message);
  });
});
