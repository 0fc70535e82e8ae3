import { InvalidInputError, type Message, type StoredMessage } from '@halyard/contracts';
import type { CheckedInput } from '../../agent/agent-input.ts';
import { copyJson } from '../../json/to-json.ts';
import type { InputUIMessage, ModelMessage } from '../../model/message.ts';
import { toUiMessages } from '../../model/to-ui-messages.ts';
import {
  answersInContents,
  answersInParts,
  type ClientAnswer,
  type IsClientSide,
  isToolPart,
  mergeAnswers,
} from './merge-answers.ts';
import type { OpenConversation } from './open-conversation.ts';

/** What was sent, held against what is stored. */
export interface SyncedInput {
  /** What the run sees of the conversation, oldest first; what was sent, and what goes on, are not among it. */
  readonly window: readonly StoredMessage[];
  /** To be written with the first write: what is new, and a stored message that a client has added to. */
  readonly fresh: readonly Message[];
  /** A stored message of the user that was sent once more: its answer is given anew, and replaces what stands after it. */
  readonly replaced: Message | undefined;
  /** The message of the assistant that goes on. */
  readonly continued: Message | undefined;
  /** Whether what goes on is stored just so. */
  readonly isContinuedStored: boolean;
  /** What this run answers: first the stored message that a client has added to, then what was sent. Those of role `system` are among it. */
  readonly sent: { readonly stored: Message | undefined } & CheckedInput;
}

/**
 * Finds out what of the input the conversation has already.
 *
 * UI messages are known by their ids: what follows the last known one is new, and what a client says otherwise of known ones is not heeded, but for answers in
 * the last message. Model messages have no ids: all are new, but for messages of role `tool` (or an assistant's repeated before them) that answer the calls of
 * the last stored message.
 *
 * @throws InvalidInputError for answers that fit no call.
 */
export async function syncInput(
  input: CheckedInput,
  conversation: OpenConversation,
  isClientSide: IsClientSide,
): Promise<SyncedInput> {
  return input.form === 'ui'
    ? syncUiMessages(input.messages, conversation, isClientSide)
    : syncModelMessages(input.messages, conversation, isClientSide);
}

async function syncUiMessages(
  messages: readonly InputUIMessage[],
  conversation: OpenConversation,
  isClientSide: IsClientSide,
): Promise<SyncedInput> {
  const system = messages.filter(({ role }) => role === 'system');
  const chat = messages.filter(({ role }) => role !== 'system');
  const { known, lastKnown } = await findLastKnown(chat, conversation);
  const sentAgain = lastKnown === chat.length - 1 ? chat[lastKnown] : undefined;
  if (sentAgain === undefined || known === undefined) {
    const fresh = eachOnce(
      chat.slice(lastKnown + 1).map((message, index) => newMessage(message, conversation.idOf(index))),
    );
    return newInput(conversation, fresh, {
      stored: undefined,
      form: 'ui',
      messages: [...system, ...(fresh as InputUIMessage[])],
    });
  }
  if (known.role !== sentAgain.role)
    throw new InvalidInputError(`body/input holds the id of another message: ${known.id}`);
  const stored = known.role === 'assistant' ? await conversation.asFound(known) : known;
  const window = await conversation.windowBefore(stored);
  if (sentAgain.role === 'user') {
    const replaced = newMessage({ metadata: stored.metadata, ...sentAgain }, stored.id);
    return {
      window,
      fresh: [],
      replaced,
      continued: undefined,
      isContinuedStored: true,
      sent: { stored: undefined, form: 'ui', messages: [...system, replaced as InputUIMessage] },
    };
  }
  const answers = newAnswers(answersInParts(sentAgain, stored, isClientSide), stored);
  const continued = mergeAnswers(messageOf(stored), answers, isClientSide);
  return {
    window,
    fresh: [],
    replaced: undefined,
    continued,
    isContinuedStored: answers.length === 0,
    sent: { stored: answeredNow(continued, answers, stored), form: 'ui', messages: system },
  };
}

async function syncModelMessages(
  messages: readonly ModelMessage[],
  conversation: OpenConversation,
  isClientSide: IsClientSide,
): Promise<SyncedInput> {
  const system = messages.filter(({ role }) => role === 'system');
  const chat = messages.filter(({ role }) => role !== 'system');
  const { last: newest } = conversation;
  const answers = chat.some(({ role }) => role === 'tool');
  const last = answers && newest !== undefined ? await conversation.asFound(newest) : newest;
  const start = startOfAnswers(chat, last);
  const end = chat.findIndex(({ role }, index) => index >= start && role !== 'tool');
  const leading = chat.slice(start, end === -1 ? undefined : end).filter((message) => message.role === 'tool');
  const rest = end === -1 ? [] : chat.slice(end);
  if (leading.length === 0) {
    const fresh = toUiMessages(chat, conversation.idOf);
    return newInput(conversation, fresh, { stored: undefined, form: 'model', messages });
  }

  const given = newAnswers(
    answersInContents(leading).filter((answer) => !isSettled(answer, last)),
    last ?? nothing,
  );
  const merged = mergeAnswers(last === undefined ? nothing : messageOf(last), given, isClientSide);
  const window = last === undefined ? [] : await conversation.windowBefore(last);
  const stored = answeredNow(merged, given, last ?? nothing);
  const sent: SyncedInput['sent'] = { stored, form: 'model', messages: [...system, ...rest] };
  if (rest.length === 0) {
    const goesOn = { replaced: undefined, continued: merged, isContinuedStored: false };
    return { window, fresh: [], sent, ...goesOn };
  }
  const { fresh, ...others } = newInput(conversation, toUiMessages(rest, conversation.idOf), sent);
  return { ...others, window, fresh: [merged, ...fresh] };
}

const nothing: Message = { id: '', role: 'assistant', parts: [] };

/** Without those that an earlier run has used up, where others came with them. Alone they are refused. */
function newAnswers(answers: readonly ClientAnswer[], stored: Message): readonly ClientAnswer[] {
  const spent = spentApprovals(stored);
  const unspent = answers.filter((answer) => answer.type !== 'approval' || !spent.has(answer.approvalId));
  return unspent.length > 0 ? unspent : answers;
}

/** What the run sees of the message: the calls of approvals that are used up are those of the runs that used them, whether or not anything came of it. */
function answeredNow<Kept extends Message>(message: Kept, answers: readonly ClientAnswer[], stored: Message): Kept {
  const spent = spentApprovals(stored);
  if (spent.size === 0 || answers.length === 0) return message;
  return {
    ...message,
    parts: message.parts.filter((part) => !('approval' in part) || !spent.has(part.approval?.id ?? '')),
  };
}

function spentApprovals({ parts }: Message): ReadonlySet<string> {
  const calls = parts.filter(isToolPart).filter((part) => part.state === 'approval-responded');
  return new Set(calls.flatMap(({ approval }) => approval.id));
}

/** What is new. Where the last is of the assistant, it goes on. */
export function newInput(
  { window }: OpenConversation,
  messages: readonly Message[],
  sent: SyncedInput['sent'],
): SyncedInput {
  const last = messages.at(-1);
  const continued = last?.role === 'assistant' ? last : undefined;
  const fresh = continued === undefined ? messages : messages.slice(0, -1);
  return { window, fresh, replaced: undefined, continued, isContinuedStored: false, sent };
}

/** Position of the last message that the conversation has, and that message as it is stored. */
async function findLastKnown(
  chat: readonly InputUIMessage[],
  conversation: OpenConversation,
): Promise<{ readonly lastKnown: number; readonly known: StoredMessage | undefined }> {
  const known = new Map(conversation.newest.map((message) => [message.id, message]));
  const inWindow = chat.findLastIndex(({ id }) => id !== undefined && known.has(id));
  // Only what stands behind it can be known and not be in the window.
  const others = chat.slice(inWindow + 1).flatMap(({ id }) => (id === undefined || id === '' ? [] : [id]));
  for (const message of await conversation.find(others)) known.set(message.id, message);
  const lastKnown = chat.findLastIndex(({ id }) => id !== undefined && known.has(id));
  return { lastKnown, known: known.get(chat[lastKnown]?.id ?? '') };
}

/** Behind the last message of the assistant where that only repeats, before answers to it, what is stored; else the beginning. */
function startOfAnswers(chat: readonly ModelMessage[], last: StoredMessage | undefined): number {
  const repeated = chat.findLastIndex(({ role }) => role === 'assistant');
  const message = chat[repeated];
  const after = chat.slice(repeated + 1);
  if (message?.role !== 'assistant' || typeof message.content === 'string' || last === undefined) return 0;
  if (after.length === 0 || after.some(({ role }) => role !== 'tool')) return 0;
  const calls = new Set(last.parts.filter(isToolPart).map(({ toolCallId }) => toolCallId));
  return message.content.some((part) => part.type === 'tool-call' && calls.has(part.toolCallId)) ? repeated + 1 : 0;
}

/** A raw client that repeats what is known tells nothing new. */
function isSettled(answer: ClientAnswer, last: StoredMessage | undefined): boolean {
  if (answer.type !== 'result') return false;
  const call = last?.parts.filter(isToolPart).findLast(({ toolCallId }) => toolCallId === answer.toolCallId);
  return call !== undefined && ['output-available', 'output-error', 'output-denied'].includes(call.state);
}

/** Of several with one id, the last counts. */
function eachOnce(messages: readonly Message[]): readonly Message[] {
  return [...new Map(messages.map((message) => [message.id, message])).values()];
}

function newMessage({ id, metadata, parts, role }: InputUIMessage, newId: string): Message {
  return {
    id: id === undefined || id === '' ? newId : id,
    role,
    // What a script sends may hold what JSON does not know.
    parts: copyJson(parts),
    ...(metadata !== undefined && { metadata: copyJson(metadata) }),
  };
}

function messageOf({ createdAt: _, ...message }: StoredMessage): Message {
  return message;
}
