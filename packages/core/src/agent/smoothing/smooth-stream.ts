import { ConfigurationError } from '@halyard/contracts';

/** Returns the beginning of the text that can be shown; nothing if more text must arrive first. */
export type ChunkDetector = (buffer: string) => string | undefined | null;

/** The options of `smoothStream` of the AI SDK. */
export interface SmoothStreamOptions {
  /** Milliseconds between two chunks; null: none. Default 10. */
  readonly delayInMs?: number | null | undefined;
  /**
   * `word` (default), `line`, the end of each chunk as an expression, a segmenter (for languages
   * without spaces), or a function.
   */
  readonly chunking?: 'word' | 'line' | RegExp | Intl.Segmenter | ChunkDetector | undefined;
}

export interface Smoothing {
  readonly delayMs: number;
  readonly findChunk: ChunkDetector;
}

/** @param owner such as `agent "a"`. @throws ConfigurationError */
export function acceptSmoothing(
  owner: string,
  option: boolean | SmoothStreamOptions | undefined,
): Smoothing | undefined {
  if (option === undefined || option === false) return undefined;
  const options = option === true ? {} : option;
  const delayMs = options.delayInMs === undefined ? 10 : (options.delayInMs ?? 0);
  if (!Number.isFinite(delayMs) || delayMs < 0)
    throw new ConfigurationError(`\`delayInMs\` of ${owner} must be a number of milliseconds from 0 on, or null`);
  return { delayMs, findChunk: chunkDetector(owner, options.chunking ?? 'word') };
}

function chunkDetector(owner: string, chunking: NonNullable<SmoothStreamOptions['chunking']>): ChunkDetector {
  if (chunking === 'word') return untilEndOf(owner, /\S+\s+/);
  if (chunking === 'line') return untilEndOf(owner, /\n+/);
  if (chunking instanceof RegExp) return untilEndOf(owner, chunking);
  if (typeof chunking === 'function') return checked(owner, chunking);
  if (chunking instanceof Intl.Segmenter) return firstSegment(chunking);
  throw new ConfigurationError(
    `\`chunking\` of ${owner} must be "word", "line", a RegExp, an Intl.Segmenter or a function`,
  );
}

function untilEndOf(owner: string, expression: RegExp): ChunkDetector {
  // A global expression would continue where its last match ended.
  const own = new RegExp(expression.source, expression.flags.replaceAll(/[gy]/g, ''));
  return (buffer) => {
    const match = own.exec(buffer);
    if (match === null) return undefined;
    if (match[0] === '') throw new ConfigurationError(`\`chunking\` of ${owner} must not match an empty text`);
    return buffer.slice(0, match.index + match[0].length);
  };
}

function checked(owner: string, detect: ChunkDetector): ChunkDetector {
  return (buffer) => {
    const chunk = detect(buffer);
    if (chunk === undefined || chunk === null) return undefined;
    if (chunk !== '' && buffer.startsWith(chunk)) return chunk;
    throw new ConfigurationError(
      `\`chunking\` of ${owner} must return the beginning of the text that it gets, or undefined`,
    );
  };
}

/** Text after a segment may belong to it. */
function firstSegment(segmenter: Intl.Segmenter): ChunkDetector {
  return (buffer) => {
    const segments = segmenter.segment(buffer)[Symbol.iterator]();
    const first = segments.next();
    return first.done === true || segments.next().done === true ? undefined : first.value.segment;
  };
}
