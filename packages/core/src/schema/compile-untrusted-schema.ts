import { InvalidInputError, isHalyardError } from '@halyard/contracts';
import type { Options, ValidateFunction } from 'ajv';
import { LRUCache } from 'lru-cache';
import { parseUntrustedSchema, SCHEMA_AT, toSchemaText } from './check-untrusted-schema.ts';
import type { CompiledSchema, ValidationResult } from './compile-schema.ts';
import { createValidator, findSchemaFault } from './create-validator.ts';
import { describeErrors } from './describe-errors.ts';
import { compileLinearPatterns, type LinearPattern } from './linear-pattern.ts';
import { isJsonSchemaObject, type JsonSchema } from './schema.ts';
import { runWithinBudget } from './time-budget.ts';
import { escapePointer, walkSchema } from './walk-schema.ts';

export interface UntrustedSchemaOptions {
  /** How long compiling, and then each validation, may block the process. Default 500 ms. */
  readonly timeLimitMs?: number;
}

/** A compiled schema whose validation is synchronous. */
export interface CompiledUntrustedSchema extends CompiledSchema<unknown> {
  /**
   * Like {@link CompiledSchema.validate}, but inserts no defaults.
   *
   * @throws InvalidInputError when validating this value exceeds the time limit or the stack; from then on for every value.
   */
  validate(value: unknown, at: string): ValidationResult<unknown>;
}

/**
 * Compiles a JSON Schema sent by a client (`body/schema`) without trusting it. The schema is limited to 64 KiB and 32 levels, must
 * have `"type": "object"`, and may only reference schemas inside itself. Patterns run on a linear-time engine, and compiling and
 * validating have a hard time limit.
 *
 * Supports drafts 06, 07, 2019-09 and 2020-12; `format` and unknown keywords are annotations. The last 64 schemas are cached by
 * their text, except schemas with patterns, whose engine uses more memory the more it reads.
 *
 * @throws InvalidInputError that names the place of the fault.
 */
export function compileUntrustedSchema(
  schema: unknown,
  { timeLimitMs = 500 }: UntrustedSchemaOptions = {},
): CompiledUntrustedSchema {
  const text = toSchemaText(schema);
  const key = `${timeLimitMs} ${text}`;
  const cached = cache.get(key);
  if (cached) return cached;

  const jsonSchema = parseUntrustedSchema(text);
  const places = findPatterns(jsonSchema);
  const compiled = compile(jsonSchema, places, timeLimitMs, () => cache.delete(key));
  if (places.size === 0) cache.set(key, compiled);
  return compiled;
}

/** At most 64 schemas with 512 Ki characters of text in all. */
const cache = new LRUCache<string, CompiledUntrustedSchema>({
  max: 64,
  maxSize: 512 * 1024,
  sizeCalculation: (_schema, text) => text.length,
});

type Check = (value: unknown, at: string) => ValidationResult<unknown>;

function compile(
  jsonSchema: JsonSchema,
  places: ReadonlyMap<string, string>,
  timeLimitMs: number,
  forget: () => void,
): CompiledUntrustedSchema {
  const check = withinBudget(timeLimitMs, () => {
    const created = createCheck(jsonSchema, places);
    // A schema that references itself without descending into the value fails on any object. Detect it before the model is called.
    created({}, SCHEMA_AT);
    return created;
  });
  let exhausted: InvalidInputError | undefined;

  return {
    jsonSchema,
    isClosed: false,
    validate(value, at) {
      if (exhausted) throw exhausted;
      try {
        return withinBudget(timeLimitMs, () => check(value, at));
      } catch (error) {
        if (error instanceof InvalidInputError) exhausted = error;
        forget();
        throw error;
      }
    },
  };
}

function withinBudget<T>(timeLimitMs: number, body: () => T): T {
  const result = runWithinBudget(timeLimitMs, body);
  if (result.done) return result.value;

  throw new InvalidInputError(
    `${SCHEMA_AT} ${result.reason === 'time' ? 'takes too long' : 'is too complex'} to check`,
  );
}

function createCheck(jsonSchema: JsonSchema, places: ReadonlyMap<string, string>): Check {
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
