import { isDeepStrictEqual } from 'node:util';
import { ConfigurationError, InvalidInputError, type JsonObject } from '@halyard/contracts';
import { NotJsonError, toJson } from '../../json/to-json.ts';
import { compileSchema } from '../../schema/compile-schema.ts';
import type { JsonSchema, Schema } from '../../schema/schema.ts';
import { changeFields, knownFields } from './change-fields.ts';
import { changeSchema } from './change-schema.ts';
import type { ContentFormat } from './content-format.ts';
import { fieldsFromSchema } from './fields.ts';
import { isJsonObject, mergeJson } from './merge-json.ts';

/**
 * Working memory that is one JSON object. It is stored as it was written, not as the schema
 * transforms it, and validated again with each change.
 *
 * @throws ConfigurationError for a schema that cannot be used.
 */
export function schemaFormat(schema: Schema): ContentFormat {
  const compiled = compileSchema(schema, 'the working memory');
  const fields = fieldsFromSchema(compiled.jsonSchema);
  if (compiled.jsonSchema['type'] !== 'object' || fields === undefined) {
    throw new ConfigurationError('The schema of the working memory must be of type object');
  }
  return {
    name: 'json',
    template: null,
    schema: compiled.jsonSchema,
    toolInput: uncheckedInput(changeSchema(compiled.jsonSchema)),

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
      return result instanceof Promise ? result.then(toMessage) : toMessage(result);
    },

    async updateFromTool(stored, input, at) {
      const { known, unknown } = knownFields(this.accept(input, at) as JsonObject, fields);
      const before = asObject(stored) ?? {};
      const { accepted, refused } = await acceptFields(known, (change) =>
        this.validate(changeFields(before, change, fields), at),
      );
      const after = changeFields(before, accepted, fields);
      const changed = Object.keys(after).filter((name) => !isDeepStrictEqual(after[name], before[name]));
      const removed = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
      return {
        change: (current) => changeFields(asObject(current) ?? {}, accepted, fields),
        reply: {
          updated: changed.length + removed.length > 0,
          changed,
          ...(removed.length > 0 && { removed }),
          ...(refused.length > 0 && { refused }),
          ...(unknown.length > 0 && { unknown }),
        },
      };
    },
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

function toMessage(result: { readonly ok: boolean; readonly message?: string }): string | undefined {
  return result.ok ? undefined : result.message;
}

/** More fields than this are accepted or refused together. */
const maxFieldsAlone = 100;

/**
 * All fields of a change, if they fit together; else those that fit one after the other.
 *
 * @throws InvalidInputError when none fits.
 */
async function acceptFields(
  change: JsonObject,
  problemOf: (change: JsonObject) => string | undefined | Promise<string | undefined>,
): Promise<{ readonly accepted: JsonObject; readonly refused: { readonly field: string; readonly reason: string }[] }> {
  const problem = await problemOf(change);
  if (problem === undefined) return { accepted: change, refused: [] };

  const fields = Object.entries(change);
  const refused: { field: string; reason: string }[] = [];
  let accepted: JsonObject = {};
  for (const [field, value] of fields.length > maxFieldsAlone ? [] : fields) {
    const next = Object.fromEntries([...Object.entries(accepted), [field, value]]);
    const reason = await problemOf(next);
    if (reason === undefined) accepted = next;
    else refused.push({ field, reason });
  }
  if (Object.keys(accepted).length === 0) throw new InvalidInputError(problem);
  return { accepted, refused };
}

/**
 * Shows the schema to the model, which providers may enforce. The update itself checks each field,
 * and so can accept the others.
 */
function uncheckedInput(schema: JsonSchema): Schema {
  const toSchema = (): Record<string, unknown> => ({ ...schema });
  return {
    '~standard': {
      version: 1,
      vendor: 'halyard',
      validate: (value) => ({ value }),
      jsonSchema: { input: toSchema, output: toSchema },
    },
  };
}
