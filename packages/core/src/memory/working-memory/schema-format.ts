import { ConfigurationError, InvalidInputError, type JsonObject } from '@halyard/contracts';
import { NotJsonError, toJson } from '../../json/to-json.ts';
import { compileSchema } from '../../schema/compile-schema.ts';
import { isJsonSchemaObject, type JsonSchema, type Schema } from '../../schema/schema.ts';
import type { ContentFormat } from './content-format.ts';
import { isJsonObject, mergeJson } from './merge-json.ts';

/**
 * Working memory that is one JSON object. It is stored as it was written, not as the schema transforms it, and validated again with each change.
 *
 * @throws ConfigurationError for a schema that cannot be used.
 */
export function schemaFormat(schema: Schema): ContentFormat {
  const compiled = compileSchema(schema, 'the working memory');
  if (compiled.jsonSchema['type'] !== 'object') {
    throw new ConfigurationError('The schema of the working memory must be of type object');
  }
  return {
    name: 'json',
    template: null,
    schema: compiled.jsonSchema,
    toolInput: partialSchema(compiled.jsonSchema),

    accept(content, at) {
      const given = asObject(content);
      if (given === undefined) throw new InvalidInputError(`${at} must be object`);
      try {
        return toJson(given);
      } catch (error) {
        if (error instanceof NotJsonError) throw new InvalidInputError(`${at} holds ${error.message}`);
        throw error;
      }
    },

    present: (stored) => asObject(stored) ?? null,

    append: (stored, added) => mergeJson(asObject(stored) ?? {}, added),

    validate(content, at) {
      const result = compiled.validate(content, at);
      return result instanceof Promise ? result.then(messageOf) : messageOf(result);
    },

    fromTool: (input) => ({ content: input, mode: 'append' }),
  };
}

/** An object, or the one in a JSON text: some clients send everything as text. */
function asObject(content: unknown): JsonObject | undefined {
  if (isJsonObject(content)) return content;
  if (typeof content !== 'string') return undefined;
  try {
    const parsed: unknown = JSON.parse(content);
    return isJsonObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function messageOf(result: { readonly ok: boolean; readonly message?: string }): string | undefined {
  return result.ok ? undefined : result.message;
}

/** The schema of a change: at every depth that is merged, no field is required and none has a default. */
function partialSchema({ required: _, default: __, ...schema }: JsonSchema): JsonSchema {
  const { properties } = schema;
  if (!isJsonSchemaObject(properties)) return schema;
  const partial = Object.entries(properties).map(([name, property]) => [
    name,
    isJsonSchemaObject(property) ? partialSchema(property) : property,
  ]);
  return { ...schema, properties: Object.fromEntries(partial) };
}
