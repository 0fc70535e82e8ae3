import { InvalidInputError, isHalyardError } from '@halyard/contracts';
import type { Options, ValidateFunction } from 'ajv';
import { LRUCache } from 'lru-cache';
import type { ValidationResult } from '../compile-schema.ts';
import { createValidator, findSchemaFault } from '../create-validator.ts';
import { describeErrors } from '../describe-errors.ts';
import { isJsonSchemaObject, type JsonSchema } from '../schema.ts';
import { escapePointer, walkSchema } from '../walk-schema.ts';
import { parseUntrustedSchema, SCHEMA_AT } from './check-untrusted-schema.ts';
import { compileLinearPatterns, type LinearPattern } from './linear-pattern.ts';

/**
 * Validates a value, without inserting defaults. `at` is the place of the value, the prefix of a
 * message.
 *
 * @throws InvalidInputError when validating this value exceeds the stack.
 */
export type ValidateUntrusted = (value: unknown, at: string) => ValidationResult<unknown>;

/**
 * Compiles the JSON text of a schema that a client has sent, without trusting it. The schema is
 * limited to 32 levels, must have `"type": "object"`, and may only reference schemas inside itself.
 * Patterns run on a linear-time engine.
 *
 * Compiling and validating may take any time and memory: only threads that can be ended call this
 * ({@link SchemaThreads}).
 *
 * Supports drafts 06, 07, 2019-09 and 2020-12; `format` and unknown keywords are annotations. The
 * last 64 schemas are cached by their text, except schemas with patterns, whose engine uses more
 * memory the more it reads.
 *
 * @throws InvalidInputError that names the place of the fault.
 */
export function compileUntrustedSchema(text: string): ValidateUntrusted {
  const cached = cache.get(text);
  if (cached) return cached;

  const jsonSchema = parseUntrustedSchema(text);
  const places = findPatterns(jsonSchema);
  const validate = compile(jsonSchema, places);
  if (places.size === 0) cache.set(text, validate);
  return validate;
}

/** At most 64 schemas with 256 Ki characters of text in all, which take up to 40 MB. */
const cache = new LRUCache<string, ValidateUntrusted>({
  max: 64,
  maxSize: 256 * 1024,
  sizeCalculation: (_schema, text) => text.length,
});

function compile(jsonSchema: JsonSchema, places: ReadonlyMap<string, string>): ValidateUntrusted {
  const check = withinStack(() => createCheck(jsonSchema, places));
  const validate: ValidateUntrusted = (value, at) => withinStack(() => check(value, at));
  // A schema that references itself without descending into the value fails on any object. Detect
  // it before the model is called.
  validate({}, SCHEMA_AT);
  return validate;
}

function withinStack<T>(body: () => T): T {
  try {
    return body();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new InvalidInputError(`${SCHEMA_AT} is too complex to check`, { cause: error });
  }
}

function createCheck(jsonSchema: JsonSchema, places: ReadonlyMap<string, string>): ValidateUntrusted {
  const fault = findSchemaFault(jsonSchema, SCHEMA_AT);
  if (fault !== undefined) throw new InvalidInputError(fault);

  const patterns = compileLinearPatterns(places);
  const regExp = Object.assign(
    (pattern: string): LinearPattern => {
      const found = patterns.get(pattern);
      if (found) return found;
      throw new InvalidInputError(`${SCHEMA_AT} has a pattern where none is expected`);
    },
    // Ajv requires the engine's source code, which it uses for standalone code only.
    { code: 'compileLinearPatterns' },
  );

  // No inlining and no optimising: a hostile schema can make both take more than linear time.
  const isValid = compileValidator(jsonSchema, { code: { regExp, optimize: false }, inlineRefs: false });
  return (value, at) =>
    isValid(value) ? { ok: true, value } : { ok: false, message: describeErrors(isValid.errors, at) };
}

function compileValidator(jsonSchema: JsonSchema, options: Options): ValidateFunction {
  try {
    return createValidator(jsonSchema, options);
  } catch (error) {
    if (isHalyardError(error) || error instanceof RangeError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new InvalidInputError(`${SCHEMA_AT} cannot be compiled: ${why.slice(0, 300)}`, { cause: error });
  }
}

/** Maps every pattern to one of its places. */
function findPatterns(jsonSchema: JsonSchema): ReadonlyMap<string, string> {
  const places = new Map<string, string>();
  walkSchema(jsonSchema, (part, pointer) => {
    if (typeof part === 'boolean') return;

    const { pattern, patternProperties } = part;
    const at = `${SCHEMA_AT}${pointer}`;
    if (typeof pattern === 'string') places.set(pattern, `${at}/pattern`);
    if (!isJsonSchemaObject(patternProperties)) return;
    for (const name of Object.keys(patternProperties)) {
      places.set(name, `${at}/patternProperties/${escapePointer(name).slice(0, 200)}`);
    }
  });
  return places;
}
