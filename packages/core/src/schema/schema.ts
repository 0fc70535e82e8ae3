import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';

/** A JSON Schema document: an object, not one of the boolean schemas. */
export type JsonSchema = { readonly [key: string]: unknown };

/**
 * Accepted wherever an app passes a schema:
 *
 * - a TypeBox schema (`Type.Object({…})`), from any copy of TypeBox,
 * - a plain JSON Schema object: draft-07, or 2019-09 and 2020-12 by `$schema`,
 * - a Standard Schema (https://standardschema.dev) with JSON Schema support: zod 4.2 and later,
 *   ArkType, and valibot through `toStandardJsonSchema` of `@valibot/to-json-schema`.
 */
export type Schema = TypeBoxSchema | JsonSchema | StandardSchema;

/** The part of TypeBox's `TSchema` that carries its type. `static` exists at compile time only. */
export type TypeBoxSchema = JsonSchema & { readonly static: unknown };

/** A schema that validates by itself and can be converted to JSON Schema. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': StandardSchemaV1.Props<Input, Output> & StandardJSONSchemaV1.Props<Input, Output>;
}

/** The type of a value that passed validation; `unknown` for a plain JSON Schema. */
export type InferSchema<S extends Schema> = S extends StandardSchema
  ? StandardSchemaV1.InferOutput<S>
  : S extends { readonly static: infer Static }
    ? Static
    : unknown;

/**
 * The type of a value before validation. Differs from {@link InferSchema} if a Standard Schema
 * transforms or has defaults.
 */
export type InferSchemaInput<S extends Schema> = S extends StandardSchema
  ? StandardSchemaV1.InferInput<S>
  : S extends { readonly static: infer Static }
    ? Static
    : unknown;

/** Whether `value` implements Standard Schema. ArkType's schemas are functions. */
export function isStandardSchema(value: unknown): value is Pick<StandardSchemaV1, '~standard'> {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  if (!('~standard' in value)) return false;

  const standard = value['~standard'];
  return (
    typeof standard === 'object' &&
    standard !== null &&
    'validate' in standard &&
    typeof standard.validate === 'function'
  );
}

/** Whether `value` is a JSON object: neither null nor an array. */
export function isJsonSchemaObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
