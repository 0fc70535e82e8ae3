import type { Message, MessagePart, StoredMessage } from '@halyard/contracts';
import { isContentOfMessage } from '../../model/content.ts';
import { isIncomplete } from '../../model/cut-step.ts';
import type { InputUIMessage, ModelMessage } from '../../model/message.ts';
import { isSettled, isToolPart } from './merge-answers.ts';

/**
 * What the stored message says after the results of client-side tools that `useChat` sends again; undefined while it says nothing, and for a message that contains
 * it already: the client asks for more.
 */
export function answerToParts(sent: InputUIMessage, stored: Message): Message | undefined {
  const ids = sent.parts.flatMap((part) => ('toolCallId' in part ? [part.toolCallId] : []));
  return stepsAfter(sent.parts, ids) === undefined ? answerTo(ids, stored) : undefined;
}

/** The same for messages of role `tool`. */
export function answerToContents(
  sent: readonly Extract<ModelMessage, { role: 'tool' }>[],
  stored: Message,
): Message | undefined {
  const parts = sent.flatMap(({ content }) => content);
  return answerTo(
    parts.flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : [])),
    stored,
  );
}

/** The stored message without an incomplete answer to these results: the run that continues the message answers them again. */
export function beforeIncompleteAnswer(stored: StoredMessage, toolCallIds: readonly string[]): StoredMessage {
  const answer = isIncomplete(stored.parts) ? stepsAfter(stored.parts, toolCallIds) : undefined;
  return answer === undefined ? stored : { ...stored, parts: stored.parts.slice(0, -answer.length) };
}

function answerTo(toolCallIds: readonly string[], stored: Message): Message | undefined {
  if (isIncomplete(stored.parts)) return undefined;
  const parts = stepsAfter(stored.parts, toolCallIds);
  return parts && { ...stored, parts: [...parts] };
}

/** The steps after the last one with a result of these calls; undefined if they have no content. */
function stepsAfter(parts: readonly MessagePart[], toolCallIds: readonly string[]): readonly MessagePart[] | undefined {
  const result = parts.findLastIndex(
    (part) => isToolPart(part) && toolCallIds.includes(part.toolCallId) && isSettled(part),
  );
  if (result === -1) return undefined;
  const next = parts.findIndex(({ type }, index) => index > result && type === 'step-start');
  const after = next === -1 ? [] : parts.slice(next);
  return after.some(isContentOfMessage) ? after : undefined;
}
