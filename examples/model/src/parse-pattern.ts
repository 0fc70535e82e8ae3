/** Ranges of code points; `[97, 122]` is a to z. */
export type CodePointRange = readonly [number, number];

/** A pattern as a tree. */
export type PatternNode =
  | { readonly kind: 'set'; readonly ranges: readonly CodePointRange[] }
  | { readonly kind: 'sequence' | 'choice'; readonly nodes: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly node: PatternNode; readonly min: number; readonly max: number }
  | { readonly kind: 'start' | 'end' };

const lastCodePoint = 0x10ffff;
const digits: readonly CodePointRange[] = [[48, 57]];
const wordCharacters: readonly CodePointRange[] = [
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122],
];
const spaces: readonly CodePointRange[] = [
  [9, 13],
  [32, 32],
  [160, 160],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
const lineEnds: readonly CodePointRange[] = [
  [10, 10],
  [13, 13],
  [0x2028, 0x2029],
];

/** Thrown and caught internally if a pattern uses unsupported syntax. */
export class UnsupportedPattern extends Error {}

const trees = new Map<string, PatternNode | undefined>();

/** Parses a pattern to a tree; undefined if it uses unsupported syntax (look-around, back references, properties). */
export function parsePattern(pattern: string): PatternNode | undefined {
  if (trees.has(pattern)) return trees.get(pattern);
  if (trees.size > 1000) trees.clear();
  let tree: PatternNode | undefined;
  try {
    tree = new PatternReader(pattern).read();
  } catch (error) {
    if (!(error instanceof UnsupportedPattern)) throw error;
  }
  trees.set(pattern, tree);
  return tree;
}

class PatternReader {
  readonly #chars: readonly string[];
  #at = 0;
  #depth = 0;

  constructor(pattern: string) {
    this.#chars = [...pattern];
  }

  read(): PatternNode {
    const tree = this.#choice();
    if (this.#at < this.#chars.length) throw new UnsupportedPattern('unbalanced');
    return tree;
  }

  #choice(): PatternNode {
    if ((this.#depth += 1) > 50) throw new UnsupportedPattern('too deep');
    const nodes = [this.#sequence()];
    while (this.#take('|')) nodes.push(this.#sequence());
    this.#depth -= 1;
    return nodes.length === 1 && nodes[0] !== undefined ? nodes[0] : { kind: 'choice', nodes };
  }

  #sequence(): PatternNode {
    const nodes: PatternNode[] = [];
    for (let next = this.#peek(); next !== undefined && next !== '|' && next !== ')'; next = this.#peek())
      nodes.push(this.#repeated());
    return { kind: 'sequence', nodes };
  }

  #repeated(): PatternNode {
    const node = this.#atom();
    const count = this.#count();
    if (count === undefined) return node;
    this.#take('?');
    if (this.#count() !== undefined) throw new UnsupportedPattern('repeated repeat');
    return { kind: 'repeat', node, ...count };
  }

  #count(): { min: number; max: number } | undefined {
    if (this.#take('*')) return { min: 0, max: Infinity };
    if (this.#take('+')) return { min: 1, max: Infinity };
    if (this.#take('?')) return { min: 0, max: 1 };
    const braces = /^\{(\d{1,4})(,(\d{1,4})?)?\}/u.exec(this.#chars.slice(this.#at, this.#at + 12).join(''));
    if (braces === null) return undefined;
    this.#at += braces[0].length;
    const min = Number(braces[1]);
    return { min, max: braces[2] === undefined ? min : braces[3] === undefined ? Infinity : Number(braces[3]) };
  }

  #atom(): PatternNode {
    const char = this.#next();
    if (char === '^') return { kind: 'start' };
    if (char === '$') return { kind: 'end' };
    if (char === '.') return { kind: 'set', ranges: inverse(lineEnds) };
    if (char === '[') return { kind: 'set', ranges: this.#class() };
    if (char === '\\') return { kind: 'set', ranges: this.#escape() };
    if (char === '{' || char === '*' || char === '+' || char === '?') throw new UnsupportedPattern('nothing to repeat');
    if (char !== '(') return { kind: 'set', ranges: only(char) };
    if (this.#take('?')) {
      if (this.#take('<')) {
        if (this.#peek() === '=' || this.#peek() === '!') throw new UnsupportedPattern('look-behind');
        while (!this.#take('>')) this.#next();
      } else if (!this.#take(':')) {
        throw new UnsupportedPattern('look-ahead');
      }
    }
    const inner = this.#choice();
    if (!this.#take(')')) throw new UnsupportedPattern('unbalanced');
    return inner;
  }

  #class(): readonly CodePointRange[] {
    const negated = this.#take('^');
    const ranges: CodePointRange[] = [];
    while (!this.#take(']')) {
      const from = this.#member();
      const low = from[0]?.[0];
      if (
        from.length === 1 &&
        low === from[0]?.[1] &&
        low !== undefined &&
        this.#peek() === '-' &&
        this.#chars[this.#at + 1] !== ']'
      ) {
        this.#next();
        const high = this.#member()[0]?.[1];
        if (high === undefined || high < low) throw new UnsupportedPattern('range');
        ranges.push([low, high]);
      } else {
        ranges.push(...from);
      }
    }
    return negated ? inverse(ranges) : ranges;
  }

  #member(): readonly CodePointRange[] {
    const char = this.#next();
    if (char !== '\\') return only(char);
    return this.#take('b') ? [[8, 8]] : this.#escape();
  }

  #escape(): readonly CodePointRange[] {
    const char = this.#next();
    const named = {
      d: digits,
      D: inverse(digits),
      w: wordCharacters,
      W: inverse(wordCharacters),
      s: spaces,
      S: inverse(spaces),
      t: only('\t'),
      n: only('\n'),
      r: only('\r'),
      f: only('\f'),
      v: only('\v'),
      0: only('\0'),
    }[char];
    if (named !== undefined) return named;
    if (char === 'x' || char === 'u') {
      const hex = (char === 'x' ? /^[\da-f]{2}/iu : /^(?:[\da-f]{4}|\{[\da-f]{1,6}\})/iu).exec(
        this.#chars.slice(this.#at, this.#at + 8).join(''),
      )?.[0];
      if (hex === undefined) throw new UnsupportedPattern('escape');
      this.#at += hex.length;
      const point = Number.parseInt(hex.replaceAll(/[{}]/gu, ''), 16);
      return [[point, point]];
    }
    if (/[\p{L}\p{N}]/u.test(char)) throw new UnsupportedPattern('escape');
    return only(char);
  }

  #peek(): string | undefined {
    return this.#chars[this.#at];
  }

  #next(): string {
    const char = this.#chars[this.#at];
    if (char === undefined) throw new UnsupportedPattern('ends early');
    this.#at += 1;
    return char;
  }

  #take(char: string): boolean {
    if (this.#peek() !== char) return false;
    this.#at += 1;
    return true;
  }
}

function only(char: string): readonly CodePointRange[] {
  const point = char.codePointAt(0) ?? 0;
  return [[point, point]];
}

function inverse(ranges: readonly CodePointRange[]): readonly CodePointRange[] {
  const gaps: CodePointRange[] = [];
  let from = 0;
  for (const [low, high] of ranges.toSorted((a, b) => a[0] - b[0])) {
    if (low > from) gaps.push([from, low - 1]);
    from = Math.max(from, high + 1);
  }
  if (from <= lastCodePoint) gaps.push([from, lastCodePoint]);
  return gaps;
}
