import type { TextPass } from './bound-processor.ts';

/** A part of a text, and the block that it belongs to. */
export interface Piece {
  readonly block: string;
  readonly text: string;
}

/**
 * The texts of blocks that are read one after another, on their way through processors. Processors
 * see the blocks as one text, so a word that is split over two blocks is found. Text that goes on
 * and spans several blocks is checked a second time with a line break between them, as a person
 * sees it.
 */
export class TextChannel {
  readonly #passes: readonly TextPass[];
  /** The pieces that each processor holds. */
  readonly #held: Piece[][];

  constructor(passes: readonly TextPass[]) {
    this.#passes = passes;
    this.#held = passes.map(() => []);
  }

  /** Adds text. @returns the text that can go on now: all of it, if no processor holds text. */
  async add(pieces: readonly Piece[], isComplete = false): Promise<readonly Piece[]> {
    let current: readonly Piece[] = merged(pieces);
    for (const [index, pass] of this.#passes.entries()) {
      if (current.length === 0 && !isComplete) return [];
      const pending = merged([...(this.#held[index] ?? []), ...current]);
      const { held, settled } = await throughPass(pass, pending, isComplete);
      this.#held[index] = held;
      current = settled;
    }
    return current;
  }
}

/** Passes a complete text through all processors. */
export async function passText(passes: readonly TextPass[], text: string): Promise<string> {
  let current = text;
  for (const pass of passes) if (current !== '') ({ text: current } = await pass(current, true));
  return current;
}

async function throughPass(
  pass: TextPass,
  pending: readonly Piece[],
  isComplete: boolean,
): Promise<{ readonly settled: readonly Piece[]; readonly held: Piece[] }> {
  const text = joined(pending);
  if (text === '') return { settled: [], held: [] };
  const passed = await pass(text, isComplete);
  if (passed.held === text) return { settled: [], held: [...pending] };

  const isEnd = text.endsWith(passed.held);
  const end = isEnd ? text.length - passed.held.length : text.length;
  const settled = withText(cut(pending, 0, end), passed.text);
  const held = isEnd ? cut(pending, end) : [{ block: pending.at(-1)?.block ?? '', text: passed.held }];
  return { settled: await asSeen(pass, settled), held };
}

/**
 * Blocks that are read as separate texts must pass as such, too. If they do not, the changed text
 * is one of the first block.
 */
async function asSeen(pass: TextPass, pieces: readonly Piece[]): Promise<readonly Piece[]> {
  const [first] = pieces;
  if (first === undefined || pieces.length === 1) return pieces;
  const separate = pieces.map(({ text }) => text).join('\n');
  const { text } = await pass(separate, true);
  return text === separate ? pieces : [{ block: first.block, text }];
}

/**
 * The pieces with another text. What stays the same at its beginning and its end stays in its
 * blocks.
 */
function withText(pieces: readonly Piece[], text: string): readonly Piece[] {
  const before = joined(pieces);
  if (text === before) return pieces;
  const shorter = Math.min(before.length, text.length);
  let start = 0;
  while (start < shorter && before[start] === text[start]) start += 1;
  let same = 0;
  while (same < shorter - start && before[before.length - 1 - same] === text[text.length - 1 - same]) same += 1;
  const changed = { block: blockAt(pieces, start), text: text.slice(start, text.length - same) };
  return merged([...cut(pieces, 0, start), changed, ...cut(pieces, before.length - same)]);
}

function blockAt(pieces: readonly Piece[], at: number): string {
  let end = 0;
  const piece = pieces.find(({ text }) => {
    end += text.length;
    return at < end;
  });
  return (piece ?? pieces.at(-1))?.block ?? '';
}

function cut(pieces: readonly Piece[], from: number, to = Infinity): Piece[] {
  let at = 0;
  const inside: Piece[] = [];
  for (const { block, text } of pieces) {
    const part = text.slice(Math.max(0, from - at), Math.max(0, to - at));
    if (part !== '') inside.push({ block, text: part });
    at += text.length;
  }
  return inside;
}

function joined(pieces: readonly Piece[]): string {
  return pieces.length === 1 ? (pieces[0]?.text ?? '') : pieces.map(({ text }) => text).join('');
}

/** Text that follows text of the same block is one piece. */
function merged(pieces: readonly Piece[]): Piece[] {
  const result: Piece[] = [];
  for (const piece of pieces) {
    const last = result.at(-1);
    if (piece.text === '') continue;
    if (last?.block === piece.block) result[result.length - 1] = { block: last.block, text: last.text + piece.text };
    else result.push(piece);
  }
  return result;
}
