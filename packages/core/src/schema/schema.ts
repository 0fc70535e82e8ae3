import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';

/** A JSON Schema document (an object; the boolean schemas are of no use as a whole document). */
export type JsonSchema = { readonly [key: string]: unknown };

/**
 * What an app may pass wherever a schema is wanted:
 *
 * - a TypeBox schema (`Type.Object({…})`), from any copy of TypeBox,
 * - a plain JSON Schema object: draft-07, or 2019-09 and 2020-12 by `$schema`,
 * - a Standard Schema (https://standardschema.dev) that can also give JSON Schema: zod 4.2 and later and ArkType as they are,
 *   valibot through `toStandardJsonSchema` of `@valibot/to-json-schema`.
 */
export type Schema = TypeBoxSchema | JsonSchema | StandardSchema;

/** The part of TypeBox's `TSchema` that types flow through: `static` exists for the compiler only. */
export type TypeBoxSchema = JsonSchema & { readonly static: unknown };

/** A schema that validates by itself and can say in JSON Schema what it accepts. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': StandardSchemaV1.Props<Input, Output> & StandardJSONSchemaV1.Props<Input, Output>;
}

/** The type of a value that passed validation; `unknown` for a plain JSON Schema. */
export type InferSchema<S extends Schema> = S extends StandardSchema
  ? StandardSchemaV1.InferOutput<S>
  : S extends { readonly static: infer Static }
    ? Static
    : unknown;

/** The type of a value to be validated: differs from {@link InferSchema} where a Standard Schema transforms or has defaults. */
export type InferSchemaInput<S extends Schema> = S extends StandardSchema
  ? StandardSchemaV1.InferInput<S>
  : S extends { readonly static: infer Static }
    ? Static
    : unknown;

/** Whether `value` implements Standard Schema. ArkType's schemas are functions, so functions count. */
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

/** Whether `value` is an object in JSON's sense: neither null nor an array. */
export function isJsonSchemaObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
