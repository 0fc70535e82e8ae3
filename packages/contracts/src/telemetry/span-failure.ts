import { cutText } from '../cut-text.ts';
import { isHalyardError } from '../errors.ts';

const maxMessageLength = 4096;

/**
 * The record of the error with which a span ended: `error.type` and the message of its status,
 * without a stack. Messages may quote users, models, tools and providers, so where content is not
 * recorded, the type takes their place.
 */
export function spanFailure(
  error: unknown,
  { recordsContent = true }: { readonly recordsContent?: boolean } = {},
): { readonly type: string; readonly message: string } {
  const type = readType(error);
  return { type, message: recordsContent ? toMessage(error) : type };
}

function readType(error: unknown): string {
  if (isHalyardError(error)) return error.code;
  return error instanceof Error ? error.constructor.name : typeof error;
}

function toMessage(error: unknown): string {
  const message = error instanceof Error ? error.message : error;
  return typeof message === 'string' ? cutText(message, maxMessageLength) : 'unknown error';
}
