/** A JSON Schema document. */
export type JsonSchema = { readonly [key: string]: unknown };

/**
 * The part of Standard Schema, with JSON Schema, that describes a value: zod 4.2 and later,
 * ArkType, valibot by `toStandardJsonSchema`.
 */
export interface StandardJsonSchema<Output = unknown> {
  readonly '~standard': {
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    readonly jsonSchema: { readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown> };
  };
}

/**
 * Schemas for `object` and `streamObject`: TypeBox, plain JSON Schema, or a Standard Schema that
 * can be converted to it.
 */
export type ObjectSchema = JsonSchema | StandardJsonSchema;

/** The type of the objects that a schema describes; `unknown` for plain JSON Schema. */
export type InferObject<Schema> = Schema extends {
  readonly '~standard': { readonly types?: { readonly output: infer Output } | undefined };
}
  ? Output
  : Schema extends { readonly static: infer Static }
    ? Static
    : unknown;

/** The schema as it is sent. */
export function toJsonSchema(schema: ObjectSchema): Record<string, unknown> {
  return isStandard(schema) ? schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' }) : { ...schema };
}

function isStandard(schema: ObjectSchema): schema is StandardJsonSchema {
  return '~standard' in schema;
}
