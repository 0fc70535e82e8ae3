import { ConfigurationError } from '@halyard/contracts';
import {
  compileOutsideSchema,
  type CompiledSchema,
  describeSchema,
  type ValidationResult,
} from '../schema/compile-schema.ts';
import { isStandardSchema, isJsonSchemaObject, type Schema } from '../schema/schema.ts';

/** The result of the AI SDK's `jsonSchema()` and `zodSchema()`. */
interface SdkSchema {
  readonly jsonSchema: unknown;
  readonly validate?: (value: unknown) => SdkValidation | PromiseLike<SdkValidation>;
}

type SdkValidation =
  | { readonly success: true; readonly value: unknown }
  | { readonly success: false; readonly error: Error };

/**
 * Compiles a schema as the AI SDK accepts it: a Standard Schema, `jsonSchema(…)`, or a function
 * that returns one of them. The AI SDK validates nothing by a `jsonSchema(…)` without `validate`,
 * so a schema that cannot be compiled is no error here either.
 *
 * @throws ConfigurationError when the schema cannot be used.
 */
export function compileSdkSchema(schema: unknown, name: string): CompiledSchema<unknown> {
  if (typeof schema === 'function' && !isStandardSchema(schema))
    return compileSdkSchema((schema as () => unknown)(), name);
  if (isStandardSchema(schema) || !isSdkSchema(schema)) return compileOutsideSchema(schema as Schema, name);
  const { jsonSchema, validate } = schema;
  if (typeof jsonSchema === 'object' && jsonSchema !== null && 'then' in jsonSchema)
    throw new ConfigurationError(`The schema of ${name} is a promise: await it before the agent is created`);
  if (validate === undefined) return compileOutsideSchema(jsonSchema as Schema, name);
  return {
    ...describeSchema(jsonSchema as Schema, name),
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
