import { isDeepStrictEqual } from 'node:util';
import { InvalidInputError, type Message, type StoredMessage, type ToolPart } from '@halyard/contracts';
import type { CheckedInput } from '../agent/agent-input.ts';
import type { Resend } from '../agent/agent-options.ts';
import { toApprovalRef } from '../agent/approvals/approvals.ts';
import type { InputCheck } from '../agent/processors/input-check.ts';
import { copyJson } from '../json/to-json.ts';
import { hasMarks, withoutMarks } from '../model/files/refused-files.ts';
import { isContentOfMessage } from '../model/messages/content.ts';
import type { InputUIMessage, ModelMessage } from '../model/messages/message.ts';
import { toUiMessages } from '../model/messages/to-ui-messages.ts';
import { isIncomplete } from '../model/prompt/cut-step.ts';
import { missingResultText } from '../model/prompt/missing-result.ts';
import { type Branch, findBranch, asActive } from './branch.ts';
import {
  responsesInContents,
  responsesInParts,
  callsById,
  type ClientResponse,
  type IsClientSide,
  isSettled,
  isToolPart,
  mergeResponses,
  replyToContents,
  replyToParts,
  beforeIncompleteReply,
} from './client-responses.ts';
import { messageAnswered, type OpenConversation } from './open-conversation.ts';
import { isSummary } from './summary.ts';
import { withoutDeadCalls } from './writer/dead-calls.ts';

/** The input of a run, compared with the stored conversation. */
export interface NewInput {
  /**
   * The stored messages in the prompt, oldest first, without the input and without the extended
   * message. A summary of older ones is the first.
   */
  readonly window: readonly StoredMessage[];
  /**
   * Messages for the first write: new ones, and a stored message to which the client has added
   * responses.
   */
  readonly fresh: readonly Message[];
  /** A stored user message that was sent again: a new reply replaces all messages after it. */
  readonly replaced: Message | undefined;
  /** Id of a stored question that was sent again and has no reply. */
  readonly unanswered?: string | undefined;
  /** The summary in the window, if the new reply would replace it, too. */
  readonly replacedSummary?: Message | undefined;
  /** The assistant message that the run extends. */
  readonly extended: Message | undefined;
  /** Whether the extended message is stored unchanged. */
  readonly isExtendedStored: boolean;
  /**
   * The stored reply to a message, or to results of client-side tools, that were sent twice: the
   * run returns it, and changes nothing.
   */
  readonly storedReply: Message | undefined;
  /**
   * The new input: the stored message to which the client has added responses, then the sent
   * messages, with those of role `system`.
   */
  readonly sent: { readonly stored: Message | undefined } & CheckedInput;
}

interface SyncOptions {
  readonly isClientSide: IsClientSide;
  readonly resend: Resend | undefined;
  /**
   * Whether no other run of the conversation is under way, so that calls without a result belong to
   * runs that died.
   */
  readonly hasLock: boolean;
  /** Passes messages that are not stored yet through the input processors. */
  readonly check: InputCheck;
}

/**
 * Finds the part of the input that is not stored yet.
 *
 * UI messages are matched by id: those after the last stored one are new. Changes to stored
 * messages are ignored, except for responses in the last message, and where `resend` requests a new
 * reply to the last message. Results that were sent twice get the stored reply. Model messages have
 * no ids: all are new, except for messages of role `tool` that respond to calls of the last stored
 * message, and a repeated assistant message before them.
 *
 * @throws InvalidInputError for responses to calls that do not wait for one; ConflictError for a
 * message that was sent twice, if others follow its reply.
 */
export async function syncInput(
  input: CheckedInput,
  conversation: OpenConversation,
  options: SyncOptions,
): Promise<NewInput> {
  return input.form === 'ui'
    ? syncUiMessages(input.messages, conversation, options)
    : syncModelMessages(input.messages, conversation, options);
}

async function syncUiMessages(
  messages: readonly InputUIMessage[],
  conversation: OpenConversation,
  options: SyncOptions,
): Promise<NewInput> {
  const { check, isClientSide } = options;
  const system = await check.messages(await systemMessages(messages, conversation));
  const chat = messages.filter(({ role }) => role !== 'system');
  const { known, lastKnown } = await findLastKnown(chat, conversation);
  const branch = known && (await findBranch(chat, known, conversation));
  const sentAgain = lastKnown === chat.length - 1 ? chat[lastKnown] : undefined;
  if (sentAgain === undefined || known === undefined) {
    const fresh = eachOnce(
      (await check.messages(chat.slice(lastKnown + 1))).map((message, index) =>
        newMessage(message, conversation.idOf(index)),
      ),
    );
    const sent = { stored: undefined, form: 'ui' as const, messages: [...system, ...(fresh as InputUIMessage[])] };
    if (branch === undefined) return newInput(conversation, fresh, sent, options);
    const window = await branch.window();
    return withChanges(
      branch,
      newInput({ newest: window.filter((message) => !isSummary(message)), window }, fresh, sent, options),
    );
  }
  if (known.role !== sentAgain.role)
    throw new InvalidInputError(`body/input holds the id of another message: ${known.id}`);
  if (sentAgain.role === 'user') {
    const [asked = sentAgain] = await check.messages([sentAgain]);
    return branch === undefined
      ? syncSentAgain(asked, known, system, conversation, options)
      : syncSentInBranch(asked, known, system, branch, options);
  }
  const before = asActive(await conversation.beforeRun(known));
  const stored = withDeadCalls(before, options, { isExtended: true });
  const window = await (branch ?? conversation).windowBefore(stored);
  const responses = await check.responses(findNewResponses(responsesInParts(sentAgain, stored, isClientSide), stored));
  const results = sentAgain.parts.flatMap((part) => ('toolCallId' in part ? [part.toolCallId] : []));
  const kept = responses.length === 0 ? beforeIncompleteReply(stored, results) : stored;
  const extended = mergeResponses(toMessage(kept), responses, isClientSide);
  return {
    window,
    fresh: branch === undefined ? [] : branch.changed.filter(({ id }) => id !== stored.id),
    replaced: undefined,
    storedReply: responses.length === 0 ? replyToParts(sentAgain, toMessage(stored)) : undefined,
    extended,
    isExtendedStored: branch === undefined && responses.length === 0 && stored === before && kept === stored,
    sent: { stored: withoutUsedApprovals(extended, responses, stored), form: 'ui', messages: system },
  };
}

/**
 * The system messages of a request. A client that has read the conversation also sends its
 * summaries: they are no instructions.
 */
async function systemMessages(
  messages: readonly InputUIMessage[],
  conversation: OpenConversation,
): Promise<readonly InputUIMessage[]> {
  const sent = messages.filter((message) => message.role === 'system' && !isSummary(message));
  // Some clients send no metadata.
  const ids = conversation.summary === undefined ? [] : sent.flatMap(({ id = [] }) => id);
  const known = new Set((await conversation.find(ids)).filter(isSummary).map(({ id }) => id));
  return sent.filter(({ id }) => id === undefined || !known.has(id));
}

/** The last message is one of the user that is stored already. */
async function syncSentAgain(
  sent: InputUIMessage,
  stored: StoredMessage,
  system: readonly InputUIMessage[],
  conversation: OpenConversation,
  options: SyncOptions,
): Promise<NewInput> {
  const { resend } = options;
  const changed = newMessage({ metadata: stored.metadata, ...sent }, stored.id);
  const isReplaced =
    resend === 'regenerate' || (resend === 'edit' && !isDeepStrictEqual(changed.parts, copyJson(stored.parts)));
  // A message that an earlier attempt of the same run has stored is not a reply yet.
  const found = isReplaced || conversation.isRepeated ? undefined : await conversation.findReply(stored);
  const answered = found !== undefined && isWholeReply(found) ? found : undefined;
  const isToReplace = found !== undefined && answered === undefined;
  const isUnanswered = conversation.last?.id === stored.id;
  const unmarked =
    isUnanswered && hasMarks(stored.parts) ? { ...toMessage(stored), parts: withoutMarks(stored.parts) } : undefined;
  const replaced = isReplaced || conversation.isRepeated || isToReplace ? changed : unmarked;
  const asked = (replaced ?? toMessage(stored)) as InputUIMessage;
  const window = await conversation.windowBefore(stored);
  const summary = window.find((message) => isSummary(message) && message.createdAt > stored.createdAt);
  return {
    window,
    fresh: [],
    replaced,
    unanswered: isUnanswered ? stored.id : undefined,
    replacedSummary: replaced && summary && toMessage(summary),
    storedReply: answered && withDeadCalls(answered, options),
    extended: undefined,
    isExtendedStored: true,
    sent: { stored: undefined, form: 'ui', messages: [...system, asked] },
  };
}

/**
 * The last message is one of the user that another branch has left out: its new reply begins a
 * branch, and replaces nothing.
 */
async function syncSentInBranch(
  sent: InputUIMessage,
  stored: StoredMessage,
  system: readonly InputUIMessage[],
  branch: Branch,
  { resend }: SyncOptions,
): Promise<NewInput> {
  if (resend === undefined) throw messageAnswered(stored.id);
  const kept = asActive(toMessage(stored));
  const asked = resend === 'edit' ? newMessage({ metadata: stored.metadata, ...sent }, stored.id) : kept;
  return {
    window: await branch.windowBefore(stored),
    fresh: [...branch.changed.filter(({ id }) => id !== stored.id), asked],
    replaced: undefined,
    storedReply: undefined,
    extended: undefined,
    isExtendedStored: true,
    sent: { stored: undefined, form: 'ui', messages: [...system, asked as InputUIMessage] },
  };
}

/** Whether a run on the same question sends this reply again. */
function isWholeReply({ parts }: Message): boolean {
  return parts.some(isContentOfMessage) && !isIncomplete(parts);
}

async function syncModelMessages(
  messages: readonly ModelMessage[],
  conversation: OpenConversation,
  options: SyncOptions,
): Promise<NewInput> {
  const { check, isClientSide } = options;
  const system = await check.messages(messages.filter(({ role }) => role === 'system'));
  const chat = messages.filter(({ role }) => role !== 'system');
  const { last: newest } = conversation;
  const hasResponses = chat.some(({ role }) => role === 'tool');
  const before = hasResponses && newest !== undefined ? await conversation.beforeRun(newest) : newest;
  const last = before && withDeadCalls(before, options, { isExtended: true });
  const start = findResponsesStart(chat, last);
  const end = chat.findIndex(({ role }, index) => index >= start && role !== 'tool');
  const leading = chat.slice(start, end === -1 ? undefined : end).filter((message) => message.role === 'tool');
  if (leading.length === 0) {
    const all = await check.messages(chat);
    const sent = { stored: undefined, form: 'model' as const, messages: [...system, ...all] };
    return newInput(conversation, toUiMessages(all, conversation.idOf), sent, options);
  }

  const rest = end === -1 ? [] : await check.messages(chat.slice(end));
  const calls = callsById(last ?? nothing);
  const repeated = chat[start - 1];
  const sentResponses = responsesInContents(leading, repeated);
  const unsettled = sentResponses.filter((response) => !isRepeated(response, calls));
  const given = await check.responses(findNewResponses(unsettled, last ?? nothing));
  const results = unsettled.length === 0 ? sentResponses.flatMap(resultId) : [];
  const kept = last && beforeIncompleteReply(last, results);
  const merged = mergeResponses(kept === undefined ? nothing : toMessage(kept), given, isClientSide);
  const window = last === undefined ? [] : await conversation.windowBefore(last);
  const stored = withoutUsedApprovals(merged, given, last ?? nothing);
  const sent: NewInput['sent'] = { stored, form: 'model', messages: [...system, ...rest] };
  if (rest.length === 0) {
    const storedReply =
      unsettled.length === 0 && last !== undefined ? replyToContents(leading, toMessage(last)) : undefined;
    const reply = { replaced: undefined, storedReply, extended: merged, isExtendedStored: false };
    return { window, fresh: [], sent, ...reply };
  }
  const { fresh, ...others } = newInput(conversation, toUiMessages(rest, conversation.idOf), sent, options);
  return { ...others, window, fresh: [merged, ...fresh.filter(({ id }) => id !== merged.id)] };
}

const nothing: Message = { id: '', role: 'assistant', parts: [] };

/**
 * Leaves out responses that an earlier run has used, if there are others. Without others they
 * remain, and are refused later.
 */
function findNewResponses(responses: readonly ClientResponse[], stored: Message): readonly ClientResponse[] {
  const used = usedApprovals(stored);
  const unused = responses.filter((response) => response.type !== 'approval' || !used.has(response.approvalId));
  return unused.length > 0 ? unused : responses;
}

/**
 * The message in the prompt. Calls whose approvals an earlier run has used belong to that run: if
 * it did not complete them, they count as not answered. Approvals of a provider stay: their calls
 * have results of their own.
 */
function withoutUsedApprovals<Kept extends Message>(
  message: Kept,
  responses: readonly ClientResponse[],
  stored: Message,
): Kept {
  const used = usedApprovals(stored);
  if (responses.length === 0) return message;
  return {
    ...message,
    parts: message.parts.map((part) => {
      if (!isToolPart(part) || part.state !== 'approval-responded' || !used.has(idOfApproval(part.approval)))
        return part;
      if (part.providerExecuted === true) return part;
      const { approval: _, ...call } = part;
      return { ...call, state: 'output-error', errorText: missingResultText };
    }),
  };
}

function usedApprovals({ parts }: Message): ReadonlySet<string> {
  const approvals = parts.flatMap((part) => ('approval' in part && part.approval ? [part.approval] : []));
  return new Set(approvals.flatMap((approval) => ('approved' in approval ? [idOfApproval(approval)] : [])));
}

function idOfApproval({ id }: { readonly id: string }): string {
  return toApprovalRef(id).approvalId;
}

/**
 * The message, in the form that the store shall have, where calls of runs that died have no result.
 */
function withDeadCalls<Kept extends Message>(
  message: Kept,
  { hasLock, isClientSide }: SyncOptions,
  { isExtended } = { isExtended: false },
): Kept {
  return hasLock ? withoutDeadCalls(message, isClientSide, { isExtended }) : message;
}

/** The changes of a branch are written first. */
function withChanges({ changed }: Branch, synced: NewInput): NewInput {
  return { ...synced, fresh: eachOnce([...changed, ...synced.fresh]) };
}

/**
 * New messages, after stored ones that change. The run continues the last one if it is of the
 * assistant.
 */
function newInput(
  { newest, window }: Pick<OpenConversation, 'newest' | 'window'>,
  messages: readonly Message[],
  sent: NewInput['sent'],
  options: SyncOptions,
): NewInput {
  const last = messages.at(-1);
  const extended = last?.role === 'assistant' ? last : undefined;
  const changed = newest.flatMap((message) => {
    const ended = withDeadCalls(message, options);
    return ended === message ? [] : toMessage(ended);
  });
  const fresh = [...changed, ...(extended === undefined ? messages : messages.slice(0, -1))];
  return { window, fresh, replaced: undefined, storedReply: undefined, extended, isExtendedStored: false, sent };
}

/** Position of the last message that is stored already, and the stored message. */
async function findLastKnown(
  chat: readonly InputUIMessage[],
  conversation: OpenConversation,
): Promise<{ readonly lastKnown: number; readonly known: StoredMessage | undefined }> {
  const known = new Map(conversation.newest.map((message) => [message.id, message]));
  const ids = chat.map(({ id = '' }) => id);
  const inWindow = ids.findLastIndex((id) => known.has(id));
  // Only the messages after it can be stored without being in the window.
  for (const message of await conversation.find(ids.slice(inWindow + 1).filter(Boolean)))
    known.set(message.id, message);
  const lastKnown = ids.findLastIndex((id) => known.has(id));
  return { lastKnown, known: known.get(ids[lastKnown] ?? '') };
}

/**
 * Index after the last assistant message, if that only repeats the stored calls and replies to them
 * follow; else 0.
 */
function findResponsesStart(chat: readonly ModelMessage[], last: StoredMessage | undefined): number {
  const repeated = chat.findLastIndex(({ role }) => role === 'assistant');
  const message = chat[repeated];
  const after = chat.slice(repeated + 1);
  if (message?.role !== 'assistant' || typeof message.content === 'string' || last === undefined) return 0;
  if (after.length === 0 || after.some(({ role }) => role !== 'tool')) return 0;
  const calls = new Set(last.parts.filter(isToolPart).map(({ toolCallId }) => toolCallId));
  return message.content.some((part) => part.type === 'tool-call' && calls.has(part.toolCallId)) ? repeated + 1 : 0;
}

/** Repeated results of a client that the stored message already contains are ignored. */
function isRepeated(response: ClientResponse, calls: ReadonlyMap<string, ToolPart>): boolean {
  if (response.type !== 'result') return false;
  const call = calls.get(response.toolCallId);
  return call !== undefined && isSettled(call);
}

function resultId(response: ClientResponse): readonly string[] {
  return response.type === 'result' ? [response.toolCallId] : [];
}

/** Of several with one id, the last counts. */
function eachOnce(messages: readonly Message[]): readonly Message[] {
  return [...new Map(messages.map((message) => [message.id, message])).values()];
}

function newMessage({ id, metadata, parts, role }: InputUIMessage, newId: string): Message {
  return {
    id: id === undefined || id === '' ? newId : id,
    role,
    // A script may send values that JSON cannot represent.
    parts: withoutMarks(asActive({ id: '', role, parts: copyJson(parts) }).parts),
    ...(metadata !== undefined && { metadata: copyJson(metadata) }),
  };
}

function toMessage({ createdAt: _, ...message }: StoredMessage): Message {
  return message;
}
