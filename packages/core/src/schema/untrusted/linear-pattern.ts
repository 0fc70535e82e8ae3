import { InvalidInputError } from '@halyard/contracts';
import { RE2JS, RE2JSException } from 're2js';

/** The part of RegExp that ajv uses. `toString` is ajv's cache key. */
export interface LinearPattern {
  test(text: string): boolean;
  toString(): string;
}

/**
 * Compiles the patterns of a client's schema with RE2, whose time is linear in the text for every
 * pattern. The syntax is that of ECMAScript without look-around and back-references. `\s`, `\w`,
 * `\d` and `\b` are ASCII only, and repetitions are limited to 1000.
 *
 * @param places maps each pattern to its place, for the error.
 * @throws InvalidInputError when RE2 does not support a pattern, or all patterns together need more
 * than 10 000 instructions.
 */
export function compileLinearPatterns(places: ReadonlyMap<string, string>): ReadonlyMap<string, LinearPattern> {
  const patterns = new Map<string, LinearPattern>();
  let instructions = 0;
  for (const [pattern, at] of places) {
    if (BACK_REFERENCE.test(pattern)) throw unsupported(at, 'back-references');

    const program = compile(pattern, at);
    instructions += program.programSize();
    if (instructions > MAX_INSTRUCTIONS) throw unsupported(at, 'all patterns together are too large');
    patterns.set(pattern, { test: (text) => program.test(text), toString: () => pattern });
  }
  return patterns;
}

const MAX_INSTRUCTIONS = 10_000;
const MAX_REASON = 200;

/** `\1` to `\9` or `\k` after an unescaped backslash. RE2 would read `\k<name>` as plain text. */
const BACK_REFERENCE = /(?<!\\)(?:\\\\)*\\[1-9k]/;

function compile(pattern: string, at: string): RE2JS {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern));
  } catch (error) {
    if (error instanceof RE2JSException) throw unsupported(at, error.message, error);
    throw error;
  }
}

function unsupported(at: string, why: string, cause?: unknown): InvalidInputError {
  return new InvalidInputError(
    `${at} is not supported by the linear-time pattern engine: ${why.slice(0, MAX_REASON)}`,
    {
      cause,
    },
  );
}
