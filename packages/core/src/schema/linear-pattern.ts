import { InvalidInputError } from '@halyard/contracts';
import { RE2JS, RE2JSException } from 're2js';

/** What ajv asks of a pattern; `toString` is the key under which it remembers one. */
export interface LinearPattern {
  test(text: string): boolean;
  toString(): string;
}

/**
 * Compiles the patterns of a caller's schema for RE2, whose time is linear in the text whatever the pattern. The syntax is
 * ECMAScript's without look-around and back-references; `\s`, `\w`, `\d` and `\b` mean ASCII, and a repetition ends at 1000.
 *
 * @param places each pattern and where it stands, for the error.
 * @throws InvalidInputError when the engine does not support a pattern, or all together make more than 10 000 instructions.
 */
export function compileLinearPatterns(places: ReadonlyMap<string, string>): ReadonlyMap<string, LinearPattern> {
  const patterns = new Map<string, LinearPattern>();
  let instructions = 0;
  for (const [pattern, at] of places) {
    if (BACK_REFERENCE.test(pattern)) throw unsupported(at, 'back-references');

    const program = compile(pattern, at);
    instructions += program.programSize();
    if (instructions > MAX_INSTRUCTIONS) throw unsupported(at, 'with it the patterns are too large');
    patterns.set(pattern, { test: (text) => program.test(text), toString: () => pattern });
  }
  return patterns;
}

const MAX_INSTRUCTIONS = 10_000;
const MAX_REASON = 200;

/** An escaped digit or `\k`, the backslash itself not escaped. The translation to RE2 would read `\k<name>` as plain text. */
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
  return new InvalidInputError(`${at} is not a pattern the linear-time engine supports: ${why.slice(0, MAX_REASON)}`, {
    cause,
  });
}
