import { unknownOptions } from '@halyard/contracts';
import type { TObject, TSchema } from '@sinclair/typebox';

/**
 * One sentence for each field of a body that its schema does not know:
 * `body/options has no option "temprature". Did you mean "temperature"?` The contract ignores such
 * fields, so a misspelt one has no effect and no error.
 *
 * Messages, inputs and free objects such as `context` are not searched.
 */
export function requestWarnings(schema: TSchema, body: unknown, path = 'body'): readonly string[] {
  if (!listsFields(schema) || typeof body !== 'object' || body === null) return [];
  const fields = Object.entries<TSchema>(schema.properties);
  return [
    ...unknownOptions(path, body, Object.fromEntries(fields.map(([name]) => [name, true]))),
    ...fields.flatMap(([name, field]) => requestWarnings(field, Reflect.get(body, name), `${path}/${name}`)),
  ];
}

function listsFields(schema: TSchema): schema is TObject {
  return 'properties' in schema && !('additionalProperties' in schema);
}
