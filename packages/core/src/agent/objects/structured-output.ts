import { ObjectNotGeneratedError } from '@halyard/contracts';
import { closeObjects } from '../../schema/close-objects.ts';
import type { CompiledSchema } from '../../schema/compile-schema.ts';
import type { ObjectRequest } from '../loop/run.ts';
import type { ObjectResult, TextResult } from '../run-result.ts';
import type { SchemaHints } from './object-output.ts';

/** Asks the model for an object that fits `schema`. */
export function objectRequest(
  schema: CompiledSchema<unknown>,
  { repairs = 1, schemaDescription, schemaName }: SchemaHints & { readonly repairs?: number } = {},
): ObjectRequest {
  return {
    repairs,
    format: {
      type: 'json',
      schema: closeObjects(schema.jsonSchema),
      ...(schemaName !== undefined && { name: schemaName }),
      ...(schemaDescription !== undefined && { description: schemaDescription }),
    },
    complaint: async (text) => {
      const read = await readObject(text, schema);
      if (read.ok) return undefined;
      return `Your answer does not fit the schema: ${read.message}. Answer again with the corrected JSON object only.`;
    },
  };
}

/** @throws ObjectNotGeneratedError */
export async function toObjectResult<Value>(
  answer: ReplyText,
  schema: CompiledSchema<Value>,
  agentId: string,
): Promise<ObjectResult<Value>> {
  const { finishReason, usage } = answer;
  return { object: await fittingObject(answer, schema, agentId), usage, finishReason };
}

/** The result of a run, as far as an object is read from it. */
type ReplyText = Pick<TextResult, 'finishReason' | 'text' | 'usage'>;

/** @throws ObjectNotGeneratedError */
export async function fittingObject<Value>(
  answer: ReplyText,
  schema: CompiledSchema<Value>,
  agentId: string,
): Promise<Value> {
  const read = await readObject(answer.text, schema);
  if (read.ok) return read.value;
  throw new ObjectNotGeneratedError(agentId, answer, { cause: read.message });
}

async function readObject<Value>(
  text: string,
  schema: CompiledSchema<Value>,
): Promise<{ ok: true; value: Value } | { ok: false; message: string }> {
  let value: unknown;
  try {
    value = JSON.parse(withoutFence(text));
  } catch {
    return { ok: false, message: 'it is not JSON' };
  }
  return schema.validate(value, 'object');
}

/** Some models wrap JSON in a Markdown code block. */
function withoutFence(text: string): string {
  return /^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/i.exec(text)?.[1] ?? text;
}
