import { InvalidInputError, type JsonObject, type JsonValue, type NewExecution } from '@halyard/contracts';
import { toJson } from '../../json/to-json.ts';
import type { CompiledSchema } from '../../schema/compile-schema.ts';
import { isPriority } from '../definition/is-priority.ts';
import { givenJson } from './accept-json.ts';
import type { StartOptions } from './runtime-options.ts';

/** 100 years. */
const longestDelayMs = 3_155_760_000_000;

/** Most executions are started without; one for all of them is enough. */
const noFields: JsonObject = Object.freeze({});

/**
 * The input as the workflow's schema has it.
 *
 * @throws InvalidInputError naming the field, its path starting with `at`.
 */
export async function acceptInput(
  schema: CompiledSchema<unknown> | undefined,
  input: JsonValue,
  at: string,
): Promise<JsonValue> {
  if (schema === undefined) return input;
  const result = await schema.validate(input, at);
  if (!result.ok) throw new InvalidInputError(result.message);
  return result.value === input ? input : toJson(result.value);
}

/** When an execution begins. @throws InvalidInputError */
export function acceptTiming({
  priority,
  startAfterMs,
}: StartOptions): Pick<StartOptions, 'priority' | 'startAfterMs'> {
  if (priority !== undefined && !isPriority(priority))
    throw new InvalidInputError('priority must be a whole number, -1000 to 1000');
  if (startAfterMs !== undefined && !(startAfterMs >= 0 && startAfterMs <= longestDelayMs))
    throw new InvalidInputError(`startAfterMs must be 0 to ${longestDelayMs}`);
  return { priority, startAfterMs };
}

/** What an execution begins with, besides its input. */
export function startFields({
  context,
  conversationId,
  metadata,
  user,
  userId,
  workflowState,
}: StartOptions): Pick<NewExecution, 'context' | 'workflowState' | 'metadata' | 'userId' | 'conversationId' | 'user'> {
  return {
    context: fieldsOf(context, 'context'),
    workflowState: fieldsOf(workflowState, 'workflowState'),
    metadata: fieldsOf(metadata, 'metadata'),
    userId,
    conversationId,
    user: user === undefined ? undefined : fieldsOf(user, 'user'),
  };
}

function fieldsOf(value: object | undefined, what: string): JsonObject {
  const json = value === undefined ? noFields : givenJson(value, `${what} is`);
  return typeof json === 'object' && json !== null && !isList(json) ? json : noFields;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
