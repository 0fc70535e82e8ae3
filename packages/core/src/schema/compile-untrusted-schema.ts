import { InvalidInputError, isHalyardError } from '@halyard/contracts';
import type { Options, ValidateFunction } from 'ajv';
import { parseUntrustedSchema, SCHEMA_AT, toSchemaText } from './check-untrusted-schema.ts';
import type { CompiledSchema, ValidationResult } from './compile-schema.ts';
import { createValidator, findSchemaFault } from './create-validator.ts';
import { describeErrors } from './describe-errors.ts';
import { compileLinearPatterns, type LinearPattern } from './linear-pattern.ts';
import { SchemaCache } from './schema-cache.ts';
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
   * As {@link CompiledSchema.validate}, and inserts no defaults.
   *
   * @throws InvalidInputError when the schema takes more than its time, or more stack than there is, for this value; from then on
   * for every value.
   */
  validate(value: unknown, at: string): ValidationResult<unknown>;
}

/**
 * Prepares the JSON Schema that a caller sent to have an object generated (`body/schema`), without trusting it: at most 64 KiB and
 * 32 levels, `"type": "object"`, only references to schemas inside it, patterns on an engine whose time is linear, and a hard limit
 * on the time that it may block the process.
 *
 * Drafts 06, 07, 2019-09 and 2020-12; `format` and unknown keywords are annotations. The same text is compiled once while it is in
 * use; schemas with patterns are compiled each time, since their engine grows with what it reads.
 *
 * @throws InvalidInputError for whatever is wrong with it, naming the place.
 */
export function compileUntrustedSchema(
  schema: unknown,
  { timeLimitMs = 500 }: UntrustedSchemaOptions = {},
): CompiledUntrustedSchema {
  const text = toSchemaText(schema);
  const key = `${timeLimitMs} ${text}`;
  const known = cache.find(key);
  if (known) return known;

  const jsonSchema = parseUntrustedSchema(text);
  const places = findPatterns(jsonSchema);
  const compiled = compile(jsonSchema, places, timeLimitMs, () => cache.delete(key));
  if (places.size === 0) cache.add(key, compiled);
  return compiled;
}

const cache = new SchemaCache<CompiledUntrustedSchema>(64, 512 * 1024);

type Check = (value: unknown, at: string) => ValidationResult<unknown>;

function compile(
  jsonSchema: JsonSchema,
  places: ReadonlyMap<string, string>,
  timeLimitMs: number,
  forget: () => void,
): CompiledUntrustedSchema {
  const check = withinBudget(timeLimitMs, () => {
    const created = createCheck(jsonSchema, places);
    // A schema that refers to itself without going deeper into the value fails on any object: better now than after the model's work.
    created({}, SCHEMA_AT);
    return created;
  });
  let exhausted: InvalidInputError | undefined;

  return {
    jsonSchema,
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
    // Ajv asks for the engine's source text, for code that outlives the process; ours never does.
    { code: 'compileLinearPatterns' },
  );

  // Neither inlining nor optimising: both take more than linear time on schemas made for it.
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

/** Every pattern and a place where it stands. */
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
