import { ConfigurationError } from '@halyard/contracts';
import { compileSchema, type CompiledSchema, type ValidationResult } from '../schema/compile-schema.ts';
import { isStandardSchema, isJsonSchemaObject, type Schema } from '../schema/schema.ts';

/** What the AI SDK's `jsonSchema()` and `zodSchema()` return. */
interface SdkSchema {
  readonly jsonSchema: unknown;
  readonly validate?: (value: unknown) => SdkValidation | PromiseLike<SdkValidation>;
}

type SdkValidation =
  | { readonly success: true; readonly value: unknown }
  | { readonly success: false; readonly error: Error };

/**
 * Compiles a schema as the AI SDK accepts it: a Standard Schema, `jsonSchema(…)`, or a function that returns one of them.
 *
 * @throws ConfigurationError when the schema cannot be used.
 */
export function compileSdkSchema(schema: unknown, name: string): CompiledSchema<unknown> {
  if (isStandardSchema(schema)) return compileSchema(schema as Schema, name);
  if (typeof schema === 'function') return compileSdkSchema((schema as () => unknown)(), name);
  if (!isSdkSchema(schema)) return compileSchema(schema as Schema, name);
  const { jsonSchema, validate } = schema;
  if (typeof jsonSchema === 'object' && jsonSchema !== null && 'then' in jsonSchema)
    throw new ConfigurationError(`The schema of ${name} is a promise: await it before the agent is created`);
  const compiled = compileSchema(jsonSchema as Schema, name);
  if (validate === undefined) return compiled;
  return {
    ...compiled,
    validate: (value, at) => {
      const result = validate.call(schema, value);
      return 'then' in result ? Promise.resolve(result).then((given) => toResult(given, at)) : toResult(result, at);
    },
  };
}

function isSdkSchema(schema: unknown): schema is SdkSchema {
  // A plain JSON Schema has no such keyword.
  return isJsonSchemaObject(schema) && 'jsonSchema' in schema;
}

function toResult(result: SdkValidation, at: string): ValidationResult<unknown> {
  return result.success ? { ok: true, value: result.value } : { ok: false, message: `${at}: ${result.error.message}` };
}
