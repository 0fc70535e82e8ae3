import { cutText } from './cut-text.ts';
import { isHalyardError } from './errors.ts';

const maxMessageLength = 4096;

/** What a span records of the error that it ended with: `error.type` and the message of its status, without a stack. */
export function spanFailure(error: unknown): { readonly type: string; readonly message: string } {
  return { type: typeOf(error), message: messageOf(error) };
}

function typeOf(error: unknown): string {
  if (isHalyardError(error)) return error.code;
  return error instanceof Error ? error.constructor.name : typeof error;
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : error;
  return typeof message === 'string' ? cutText(message, maxMessageLength) : 'unknown error';
}
