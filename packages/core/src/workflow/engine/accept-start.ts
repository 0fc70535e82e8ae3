import {
  InvalidInputError,
  type JsonObject,
  type JsonValue,
  type NewExecution,
  type NewExecutionEvent,
} from '@halyard/contracts';
import { isoTime } from '../../json/iso-time.ts';
import { toJson } from '../../json/to-json.ts';
import type { CompiledSchema } from '../../schema/compile-schema.ts';
import type { FlowControl } from '../definition/flow-control.ts';
import { isPriority } from '../definition/workflow-definition.ts';
import { continuedFrom } from '../interpreter/step/continue-as-new.ts';
import { acceptJson } from './accept-json.ts';
import type { BeginOptions, StartOptions } from './runtime-options.ts';

/** 100 years. */
const longestDelayMs = 3_155_760_000_000;

/**
 * The input of an execution, as the schema of its workflow parses it.
 *
 * @throws InvalidInputError naming the field; its path starts with `at`.
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

/** When an execution starts. @throws InvalidInputError */
export function acceptTiming(
  { priority, startAfterMs }: Pick<StartOptions, 'priority' | 'startAfterMs'>,
  { debounce, throttle }: FlowControl,
): Pick<StartOptions, 'priority' | 'startAfterMs'> {
  if (priority !== undefined && !isPriority(priority))
    throw new InvalidInputError('priority must be a whole number, -1000 to 1000');
  if (startAfterMs !== undefined && !(startAfterMs >= 0 && startAfterMs <= longestDelayMs))
    throw new InvalidInputError(`startAfterMs must be 0 to ${longestDelayMs}`);
  if (startAfterMs !== undefined && (debounce !== undefined || throttle !== undefined))
    throw new InvalidInputError(
      'startAfterMs cannot be chosen: the debounce or throttle of the workflow decides when it starts',
    );
  return { priority, startAfterMs };
}

/** The fields of a new execution besides its input. */
export function startFields({
  context,
  conversationId,
  isContinuation = false,
  metadata,
  user,
  userId,
  workflowState,
}: BeginOptions): Pick<NewExecution, 'context' | 'workflowState' | 'metadata' | 'userId' | 'conversationId' | 'user'> {
  return {
    context: acceptFields(context, 'context'),
    workflowState: acceptFields(workflowState, 'workflowState'),
    metadata: acceptMetadata(metadata, isContinuation),
    userId,
    conversationId,
    user: user === undefined ? undefined : acceptFields(user, 'user'),
  };
}

/**
 * Waits follow the execution that continues this one, by its metadata: only the engine may write
 * that field. @throws InvalidInputError
 */
function acceptMetadata(metadata: object | undefined, isContinuation: boolean): JsonObject {
  const accepted = acceptFields(metadata, 'metadata');
  if (!isContinuation && Object.hasOwn(accepted, continuedFrom))
    throw new InvalidInputError(
      `metadata/${continuedFrom} is reserved: it names the execution that another one continues`,
    );
  return accepted;
}

/** The first event of every execution. */
export function startEvent(workflowId: string, input: JsonValue, now: number): NewExecutionEvent {
  return { type: 'workflow-start', from: workflowId, timestamp: isoTime(now), input };
}

const noFields: JsonObject = Object.freeze({});

/** @throws InvalidInputError */
export function acceptFields(value: object | undefined, name: string): JsonObject {
  if (value === undefined) return noFields;
  const json = acceptJson(value, `${name} is`);
  return typeof json === 'object' && json !== null && !isList(json) ? json : noFields;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
