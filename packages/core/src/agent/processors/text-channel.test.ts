import { describe, expect, it } from 'vitest';
import type { TextPass } from './bound-processor.ts';
import { passText, type Piece, TextChannel } from './text-channel.ts';

/** Replaces a text, and holds an end that may become it. */
function replacing(from: string, to: string): TextPass {
  return async (text, isComplete) => {
    const replaced = text.replaceAll(from, to);
    if (isComplete) return { text: replaced, held: '' };
    for (let length = Math.min(from.length - 1, replaced.length); length > 0; length -= 1)
      if (from.startsWith(replaced.slice(-length)))
        return { text: replaced.slice(0, -length), held: replaced.slice(-length) };
    return { text: replaced, held: '' };
  };
}

const piece = (block: string, text: string): Piece => ({ block, text });

describe('the texts of blocks', () => {
  it('go on at once without a processor, each block in one piece', async () => {
    const channel = new TextChannel([]);
    expect(await channel.add([piece('a', 'x'), piece('a', ''), piece('a', 'y'), piece('b', 'z')])).toEqual([
      piece('a', 'xy'),
      piece('b', 'z'),
    ]);
    expect(await channel.add([])).toEqual([]);
    expect(await channel.add([], true)).toEqual([]);
  });

  it('wait while a processor holds them, and go on changed or unchanged', async () => {
    const channel = new TextChannel([replacing('secret', '…')]);
    expect(await channel.add([piece('a', 'my sec')])).toEqual([piece('a', 'my ')]);
    expect(await channel.add([])).toEqual([]);
    expect(await channel.add([piece('a', 'ret, se')])).toEqual([piece('a', '…, ')]);
    expect(await channel.add([piece('a', 'cond')])).toEqual([piece('a', 'second')]);
    expect(await channel.add([piece('a', 's')])).toEqual([]);
    expect(await channel.add([], true)).toEqual([piece('a', 's')]);
    expect(await channel.add([], true)).toEqual([]);
  });

  it('pass several processors, each with its own held text', async () => {
    const channel = new TextChannel([replacing('tea', 'cocoa'), replacing('coat', 'hat')]);
    expect(await channel.add([piece('a', 'co')])).toEqual([]);
    expect(await channel.add([piece('a', 'at te')])).toEqual([piece('a', 'hat ')]);
    expect(await channel.add([piece('a', 'a')])).toEqual([piece('a', 'co')]);
    expect(await channel.add([], true)).toEqual([piece('a', 'coa')]);
  });

  it('are one text: a match over two blocks is replaced in the first, and the rest stays in its block', async () => {
    const channel = new TextChannel([replacing('secret', '…')]);
    expect(await channel.add([piece('a', 'my sec'), piece('b', 'ret plan')])).toEqual([
      piece('a', 'my …'),
      piece('b', ' plan'),
    ]);
  });

  it('keep their blocks while they wait', async () => {
    const channel = new TextChannel([replacing('secret', '…')]);
    expect(await channel.add([piece('a', 's'), piece('b', 'e')])).toEqual([]);
    expect(await channel.add([piece('c', 'a')])).toEqual([piece('a', 's'), piece('b', 'e'), piece('c', 'a')]);
  });

  it('are one piece where they do not pass with a line break between them', async () => {
    const channel = new TextChannel([replacing('a\nb', '…')]);
    expect(await channel.add([piece('1', 'a'), piece('2', 'b')], true)).toEqual([piece('1', '…')]);
    expect(await channel.add([piece('1', 'a'), piece('2', 'c')], true)).toEqual([piece('1', 'a'), piece('2', 'c')]);
  });

  it('are one piece of the last block where a processor holds another text', async () => {
    const held: TextPass = async (text, isComplete) => (isComplete ? { text, held: '' } : { text: '', held: 'other' });
    const channel = new TextChannel([held]);
    expect(await channel.add([piece('a', 'x'), piece('b', 'y')])).toEqual([]);
    expect(await channel.add([], true)).toEqual([piece('b', 'other')]);
  });

  it('may become shorter or longer at any place', async () => {
    const all = async (from: string, to: string): Promise<readonly Piece[]> =>
      new TextChannel([replacing(from, to)]).add([piece('a', 'abc'), piece('b', 'def')], true);
    expect(await all('abc', '')).toEqual([piece('b', 'def')]);
    expect(await all('def', '')).toEqual([piece('a', 'abc')]);
    expect(await all('cd', 'c--d')).toEqual([piece('a', 'abc'), piece('b', '--def')]);
    expect(await all('f', 'xyz')).toEqual([piece('a', 'abc'), piece('b', 'dexyz')]);
    expect(await all('abcdef', '')).toEqual([]);
  });
});

it('passes a complete text through all processors, as long as something is left of it', async () => {
  const seen: string[] = [];
  const watching: TextPass = async (text, isComplete) => {
    seen.push(`${text} ${String(isComplete)}`);
    return { text, held: '' };
  };
  expect(await passText([replacing('a', 'b'), watching, replacing('b', ''), watching], 'a')).toBe('');
  expect(seen).toEqual(['b true']);
});
