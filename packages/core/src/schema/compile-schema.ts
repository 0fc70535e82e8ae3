import { ConfigurationError } from '@halyard/contracts';
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import type { ValidateFunction } from 'ajv';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { createValidator, findSchemaFault, hasKnownKeyword } from './create-validator.ts';
import { describeErrors } from './describe-errors.ts';
import { type InferSchema, isJsonSchemaObject, isStandardSchema, type JsonSchema, type Schema } from './schema.ts';
import { escapePointer, walkSchema } from './walk-schema.ts';

export type ValidationResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly message: string };

export interface CompiledSchema<T> {
  /** Plain JSON, without symbols. For a Standard Schema, the schema of its input. */
  readonly jsonSchema: JsonSchema;
  /**
   * Whether objects accept no further properties where `jsonSchema` does not say so. A Standard
   * Schema drops or refuses them.
   */
  readonly isClosed: boolean;
  /**
   * Validates `value` and returns the result, which a Standard Schema may have transformed. Never
   * changes `value` itself. `message` is one sentence that starts with `at` and the path of the
   * field: `input/city must be string`. Returns a promise only if a Standard Schema does.
   */
  validate(value: unknown, at: string): ValidationResult<T> | Promise<ValidationResult<T>>;
}

/**
 * Compiles a schema of the app.
 *
 * TypeBox and plain JSON Schema are read as draft-07 unless `$schema` or a later keyword (`$defs`,
 * `prefixItems`, `unevaluatedProperties`…) indicates 2019-09 or 2020-12. Values are never coerced.
 * A property's `default` is inserted (not at the root and not inside `anyOf`, `oneOf`, `not` and
 * `if`). The formats of `ajv-formats` are validated; unknown formats and unknown keywords are
 * ignored. A TypeBox `Transform` is validated but not decoded.
 *
 * @param name names the schema in errors: `the input of tool "weather"`.
 * @throws ConfigurationError when the schema cannot be used.
 */
export function compileSchema<S extends Schema>(schema: S, name: string): CompiledSchema<InferSchema<S>> {
  if (isStandardSchema(schema)) return compileStandardSchema<InferSchema<S>>(schema, name);
  if (isJsonSchemaObject(schema)) return compileJsonSchema<InferSchema<S>>(schema, name);

  throw new ConfigurationError(
    `The schema of ${name} must be a TypeBox schema, a JSON Schema object or a Standard Schema such as a zod schema, got ${kindOf(schema)}`,
  );
}

/**
 * Compiles a schema that another party wrote, as {@link compileSchema} does. If Ajv refuses it, the
 * schema only describes values: it is passed to the model, values are not validated, and a warning
 * of the process says so.
 *
 * @throws ConfigurationError when the schema is not plain JSON or cannot be converted to it.
 */
export function compileOutsideSchema(schema: Schema, name: string): CompiledSchema<unknown> {
  if (isStandardSchema(schema) || !isJsonSchemaObject(schema)) return compileSchema(schema, name);
  const described = describeSchema(schema, name);
  try {
    return compileSchema(schema, name);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    process.emitWarning(
      `${error.message}. It is passed to the model, and values are not validated.`,
      'HalyardSchemaWarning',
    );
    return described;
  }
}

/** A schema that only describes values. @throws ConfigurationError when it is not plain JSON. */
export function describeSchema(schema: Schema, name: string): CompiledSchema<unknown> {
  return {
    jsonSchema: toPlainJson(schema, name),
    isClosed: false,
    validate: (value) => ({ ok: true, value }),
  };
}

function compileJsonSchema<T>(schema: JsonSchema, name: string): CompiledSchema<T> {
  const jsonSchema = toPlainJson(schema, name);
  const validator = createTrustedValidator(jsonSchema, name);
  const check = (value: unknown, at: string): ValidationResult<T> =>
    validator(value) ? { ok: true, value: value as T } : { ok: false, message: describeErrors(validator.errors, at) };

  return {
    jsonSchema,
    isClosed: false,
    validate: hasDefaults(jsonSchema) ? (value, at) => checkClone(value, at, check) : check,
  };
}

/** Ajv writes defaults into the value that it validates, so it gets a copy of the caller's. */
function checkClone<T>(
  value: unknown,
  at: string,
  check: (value: unknown, at: string) => ValidationResult<T>,
): ValidationResult<T> {
  let clone: unknown;
  try {
    clone = structuredClone(value);
  } catch {
    return { ok: false, message: `${at} must be plain JSON` };
  }
  return check(clone, at);
}

function createTrustedValidator(schema: JsonSchema, name: string): ValidateFunction {
  const fault = findSchemaFault(schema, 'schema');
  if (fault !== undefined) throw new ConfigurationError(`The schema of ${name} is not valid JSON Schema: ${fault}`);
  if (Object.keys(schema).length > 0 && !hasKnownKeyword(schema)) {
    throw new ConfigurationError(
      `The schema of ${name} has no JSON Schema keyword; wrap the fields in an object schema (Type.Object, z.object, "properties")`,
    );
  }

  try {
    return createValidator(schema, { formats: fullFormats, validateFormats: true, useDefaults: hasDefaults(schema) });
  } catch (error) {
    throw new ConfigurationError(`The schema of ${name} cannot be compiled: ${messageOf(error)}`, { cause: error });
  }
}

function compileStandardSchema<T>(schema: Pick<StandardSchemaV1, '~standard'>, name: string): CompiledSchema<T> {
  const standard = schema['~standard'];
  const jsonSchema = toPlainJson(toJsonSchema(standard, name), name);

  return {
    jsonSchema,
    isClosed: true,
    validate(value, at) {
      const result = standard.validate(value);
      return result instanceof Promise
        ? result.then((settled) => fromStandardResult<T>(settled, at))
        : fromStandardResult<T>(result, at);
    },
  };
}

function toJsonSchema(standard: StandardSchemaV1.Props, name: string): unknown {
  if (!hasJsonSchema(standard)) {
    throw new ConfigurationError(
      `The schema of ${name} (${standard.vendor}) cannot be converted to JSON Schema; use zod 4.2 or later, ArkType, ` +
        `or valibot's toStandardJsonSchema() of @valibot/to-json-schema`,
    );
  }

  try {
    return standard.jsonSchema.input({ target: 'draft-07' });
  } catch (error) {
    throw new ConfigurationError(
      `The schema of ${name} (${standard.vendor}) has a part that JSON Schema cannot express: ${messageOf(error)}`,
      { cause: error },
    );
  }
}

function hasJsonSchema(standard: object): standard is Pick<StandardJSONSchemaV1.Props, 'jsonSchema'> {
  if (!('jsonSchema' in standard) || !isJsonSchemaObject(standard.jsonSchema)) return false;
  return typeof standard.jsonSchema['input'] === 'function';
}

function fromStandardResult<T>(result: StandardSchemaV1.Result<unknown>, at: string): ValidationResult<T> {
  if (!result.issues) return { ok: true, value: result.value as T };

  const [issue] = result.issues;
  const path = (issue?.path ?? []).map(
    (segment) => `/${escapePointer(String(typeof segment === 'object' ? segment.key : segment))}`,
  );
  return { ok: false, message: `${at}${path.join('')}: ${issue?.message ?? 'is invalid'}` };
}

/** A deep copy without symbols (TypeBox sets some), prototypes and undefined values. */
function toPlainJson(schema: unknown, name: string): JsonSchema {
  try {
    const copy: unknown = JSON.parse(JSON.stringify(schema));
    if (isJsonSchemaObject(copy)) return copy;
  } catch (error) {
    throw new ConfigurationError(`The schema of ${name} is not plain JSON: ${messageOf(error)}`, { cause: error });
  }
  throw new ConfigurationError(`The schema of ${name} must be a JSON Schema object, got ${kindOf(schema)}`);
}

function hasDefaults(schema: JsonSchema): boolean {
  let found = false;
  walkSchema(schema, (part) => {
    found ||= typeof part === 'object' && 'default' in part;
  });
  return found;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : typeof value;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
