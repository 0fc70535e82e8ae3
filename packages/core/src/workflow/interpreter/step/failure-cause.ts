import { type JsonValue, StepFailedError } from '@halyard/contracts';
import { copyJson } from '../../../json/to-json.ts';
import type { FailureCause } from '../../steps/and-try.ts';

/** Causes by the data of the `catch` step. They are never recorded: clients can read records. */
const causes = new WeakMap<object, FailureCause>();

/**
 * Notes why a step failed, for the step that gets this data. Nothing if the failure was recorded by
 * an earlier run, whose cause is gone.
 */
export function noteCause(data: object, failure: StepFailedError): void {
  let { cause } = failure;
  while (cause instanceof StepFailedError) ({ cause } = cause);
  if (cause !== undefined) causes.set(data, describe(cause));
}

/** Gives the data that a schema has parsed the cause of the original. */
export function keepCause(original: JsonValue, parsed: JsonValue): JsonValue {
  const cause = readCause(original);
  if (cause !== undefined && typeof parsed === 'object' && parsed !== null) causes.set(parsed, cause);
  return parsed;
}

/**
 * Copies data for code that may change it. `error.cause` is not enumerable, as in errors: a copy of
 * the data that a step returns does not contain it.
 */
export function copyWithCause(data: JsonValue): unknown {
  const copy: unknown = copyJson(data);
  const cause = readCause(data);
  if (cause !== undefined && isRecord(copy) && isRecord(copy['error']))
    Object.defineProperty(copy['error'], 'cause', { value: cause, configurable: true, writable: true });
  return copy;
}

function readCause(data: JsonValue): FailureCause | undefined {
  return typeof data === 'object' && data !== null ? causes.get(data) : undefined;
}

function describe(cause: unknown): FailureCause {
  if (!isRecord(cause)) return { name: 'Error', message: typeof cause === 'string' ? cause : '' };
  const { code, message, name } = cause;
  return {
    name: typeof name === 'string' ? name : 'Error',
    message: typeof message === 'string' ? message : '',
    ...(typeof code === 'string' && { code }),
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
