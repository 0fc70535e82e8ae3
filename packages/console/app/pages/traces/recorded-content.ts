import type { Message } from '../../ui/message-list.tsx';
import type { Span } from './span-rows.ts';

/**
 * Attributes are JSON in a text. One that was cut off at its limit is no JSON any more: the text is
 * shown then.
 */
export function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

export function messagesOf(value: unknown): readonly Message[] {
  const messages = parsed(value);
  if (typeof messages === 'string') return [{ role: 'cut off', parts: [{ type: 'text', content: messages }] }];
  return Array.isArray(messages) ? (messages as Message[]) : [];
}

/** The input of a workflow, or the arguments of a tool. */
export function inputOf({ attributes }: Span): unknown {
  return parsed(attributes['gen_ai.tool.call.arguments'] ?? attributes['halyard.input']);
}

/** A line needs no more. */
const longestPreview = 200;

/** Whether a user wrote it: notes of a model, such as its working memory, have the role too. */
export function isOfUser({ name, role }: Message): boolean {
  return role === 'user' && name !== 'notes';
}

/** The last text of a user; undefined without one. */
export function questionIn(messages: readonly Message[]): string | undefined {
  const parts = messages.findLast((message) => isOfUser(message) || message.role === 'cut off')?.parts ?? [];
  const text = parts.find(({ type }) => type === 'text')?.content;
  return typeof text === 'string' && text !== '' ? text.slice(0, longestPreview) : undefined;
}

/**
 * The input of a run in one line: the last text of the user, or the input. Undefined where nothing
 * was recorded.
 */
export function spanPreview(span: Span): string | undefined {
  const question = questionIn(messagesOf(span.attributes['gen_ai.input.messages']));
  if (question !== undefined) return question;
  const input = inputOf(span);
  return (typeof input === 'string' ? input : JSON.stringify(input))?.slice(0, longestPreview);
}
