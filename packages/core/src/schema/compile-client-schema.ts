import type { CompiledUntrustedSchema, UntrustedSchemaOptions } from './compile-untrusted-schema.ts';

/**
 * Compiles a JSON Schema sent by a client, as `compile-untrusted-schema.ts` describes. Loads the compiler on the first call: its pattern
 * engine takes 7 ms and 4 MB at start, and most servers never need it.
 *
 * @throws InvalidInputError that names the place of the fault.
 */
export async function compileClientSchema(
  schema: unknown,
  options: UntrustedSchemaOptions = {},
): Promise<CompiledUntrustedSchema> {
  const { compileUntrustedSchema } = await import('./compile-untrusted-schema.ts');
  return compileUntrustedSchema(schema, options);
}
