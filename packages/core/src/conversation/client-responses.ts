import { isDeepStrictEqual } from 'node:util';
import {
  InvalidInputError,
  type Message,
  type MessagePart,
  type StoredMessage,
  type ToolPart,
} from '@halyard/contracts';
import { approvalNotAccepted, type ApprovalRef, toApprovalRef, uiApprovalId } from '../agent/approvals/approvals.ts';
import { changedInput } from '../agent/approvals/changed-input.ts';
import { copyJson } from '../json/to-json.ts';
import { isContentOfMessage } from '../model/messages/content.ts';
import type { InputUIMessage, ModelMessage } from '../model/messages/message.ts';
import { outputOfResult } from '../model/messages/to-ui-messages.ts';
import { isIncomplete } from '../model/prompt/cut-step.ts';
import { toolNameFromPart } from './tool-name-from-part.ts';

/**
 * A client's addition to an assistant message: approval responses, and results of the tools that it
 * runs itself.
 */
export type ClientResponse =
  | ({
      readonly type: 'approval';
      readonly approved: boolean;
      readonly reason: string | undefined;
      /** The arguments that the person gives in place of those of the call. */
      readonly input?: unknown;
      /**
       * The calls that the client may mean, as it has them; undefined if it sends only the
       * response.
       */
      readonly shown?: readonly ShownCall[] | undefined;
    } & ApprovalRef)
  | ({ readonly type: 'result'; readonly toolCallId: string } & ResultOfClient);

/** The fields of a response that the AI SDK does not have. */
interface SentFields {
  readonly signature?: string | undefined;
  readonly input?: unknown;
}

type SentApproval = Extract<InputUIMessage['parts'][number], { state: 'approval-responded' }>['approval'] & SentFields;

/** A call as a client has it: a person may have read this one. */
export interface ShownCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input?: unknown;
}

type ResultOfClient =
  | { readonly ok: true; readonly output: unknown }
  | { readonly ok: false; readonly errorText: string };

/**
 * The responses in a message as `useChat` sends it, as far as the stored message waits for them.
 */
export function responsesInParts(sent: InputUIMessage, stored: Message, isClientSide: IsClientSide): ClientResponse[] {
  // A later step may reuse the id of a call.
  const last = new Map(sent.parts.flatMap((part) => ('toolCallId' in part ? [[part.toolCallId, part] as const] : [])));
  const calls = callsById(stored);
  const waiting = new Set(stored.parts.flatMap((part) => (isToolPart(part) ? awaitedApproval(part) : [])));
  return sent.parts.flatMap((part): readonly ClientResponse[] => {
    if (!('toolCallId' in part)) return [];
    const isLast = part === last.get(part.toolCallId);
    if (!isLast && !(part.state === 'approval-responded' && waiting.has(readApprovalId(part)))) return [];
    const known = calls.get(part.toolCallId);
    switch (part.state) {
      case 'approval-responded': {
        const { approved, id, input: given, reason, signature }: SentApproval = part.approval;
        const { input, toolCallId } = part;
        const shown = [{ toolCallId, toolName: toolNameFromPart(part), input }];
        return [{ type: 'approval', ...toApprovalRef(id, signature), approved, reason, input: given, shown }];
      }
      case 'output-available':
      case 'output-error': {
        if (known === undefined || !takesResult(known, isClientSide)) return [];
        const { toolCallId } = part;
        return [
          part.state === 'output-error'
            ? { type: 'result', toolCallId, ok: false, errorText: part.errorText }
            : { type: 'result', toolCallId, ok: true, output: part.output },
        ];
      }
      default:
        return [];
    }
  });
}

/**
 * The responses in messages of role `tool`.
 *
 * @param repeated the message before them, in which the client repeats the calls.
 */
export function responsesInContents(
  messages: readonly Extract<ModelMessage, { role: 'tool' }>[],
  repeated?: ModelMessage,
): ClientResponse[] {
  return messages.flatMap(({ content }) =>
    content.flatMap((part): readonly ClientResponse[] => {
      if (part.type === 'tool-result')
        return [{ type: 'result', toolCallId: part.toolCallId, ...outputOfResult(part.output) }];
      const { approvalId, approved, input, reason, signature }: typeof part & SentFields = part;
      const request = toApprovalRef(approvalId, signature);
      return [{ type: 'approval', ...request, approved, reason, input, shown: shownCalls(request, repeated) }];
    }),
  );
}

/** The call of the approval request, if the message repeats that, else all calls of the message. */
function shownCalls({ approvalId }: ApprovalRef, repeated: ModelMessage | undefined): readonly ShownCall[] | undefined {
  if (repeated?.role !== 'assistant' || typeof repeated.content === 'string') return undefined;
  const { content } = repeated;
  const calls = content.filter((part) => part.type === 'tool-call');
  const request = content.find(
    (part) => part.type === 'tool-approval-request' && toApprovalRef(part.approvalId).approvalId === approvalId,
  );
  if (request?.type !== 'tool-approval-request') return calls;
  return calls.filter(({ toolCallId }) => toolCallId === request.toolCallId);
}

/** Whether the client runs this tool; undefined for a tool that is not the agent's. */
export type IsClientSide = (toolName: string) => boolean | undefined;

/**
 * The message with the responses of a client. The signature of a response is stored with its
 * approval: it proves that the server requested the approval.
 *
 * @throws InvalidInputError for an approval that the message does not wait for, or of a call that
 * the client has with another input, id or tool (`APPROVAL_NOT_ACCEPTED`), and for a result of a
 * call that does not wait for one.
 */
export function mergeResponses<Kept extends Message>(
  message: Kept,
  responses: readonly ClientResponse[],
  isClientSide: IsClientSide,
): Kept {
  const parts = [...message.parts];
  const { byApproval, byCall } = indexParts(parts);
  for (const response of responses) {
    const place = response.type === 'approval' ? byApproval.get(response.approvalId) : byCall.get(response.toolCallId);
    const index = place ?? -1;
    const part = parts[index];
    if (response.type === 'approval') {
      if (part === undefined || !isToolPart(part) || !awaitsApproval(part) || !isShown(part, response.shown))
        throw approvalNotAccepted(response.approvalId);
      parts[index] = withApproval(part, response);
    } else {
      if (part === undefined || !isToolPart(part) || !takesResult(part, isClientSide))
        throw new InvalidInputError(
          `body/input contains a result for the call "${response.toolCallId}", which does not wait for one`,
        );
      parts[index] = withResult(part, response);
    }
  }
  return { ...message, parts };
}

/** The parts with the outcomes that another run has stored for calls that wait in them. */
export function withOutcomes(parts: readonly MessagePart[], stored: readonly MessagePart[]): MessagePart[] {
  return parts.map((part, index) => {
    const other = stored[index];
    if (other === undefined || !isToolPart(part) || !isToolPart(other)) return part;
    return part.toolCallId === other.toolCallId && toProgress(other) > toProgress(part) ? other : part;
  });
}

function toProgress({ state }: ToolPart): number {
  if (state === 'approval-requested' || state === 'input-available') return 0;
  return state === 'approval-responded' ? 1 : 2;
}

export function isToolPart(part: MessagePart): part is ToolPart {
  return 'toolCallId' in part;
}

/** Whether the call has an outcome. */
export function isSettled({ state }: ToolPart): boolean {
  return state === 'output-available' || state === 'output-error' || state === 'output-denied';
}

/** The calls of a message. Of several with one id, the last counts. */
export function callsById({ parts }: Message): ReadonlyMap<string, ToolPart> {
  return new Map(parts.filter(isToolPart).map((part) => [part.toolCallId, part]));
}

/**
 * Where the calls are, by their ids and by those of their approvals. Of several with one id, the
 * last counts.
 */
function indexParts(parts: readonly MessagePart[]) {
  const byCall = new Map<string, number>();
  const byApproval = new Map<string, number>();
  for (const [index, part] of parts.entries()) {
    if (!isToolPart(part)) continue;
    byCall.set(part.toolCallId, index);
    if ('approval' in part && part.approval !== undefined)
      byApproval.set(readApprovalId({ approval: part.approval }), index);
  }
  return { byApproval, byCall };
}

/** Without the signature that the id may include. */
function readApprovalId({ approval }: { readonly approval: { readonly id: string } }): string {
  return toApprovalRef(approval.id).approvalId;
}

/**
 * Whether the client has the call as it is stored. Consent is to the call that a person has read.
 */
function isShown(part: ToolPart, shown: readonly ShownCall[] | undefined): boolean {
  if (shown === undefined) return true;
  const { input, toolCallId } = part;
  return shown.some(
    (call) =>
      call.toolCallId === toolCallId &&
      call.toolName === toolNameFromPart(part) &&
      isDeepStrictEqual(copyJson(call.input), copyJson(input)),
  );
}

function awaitedApproval(part: ToolPart): readonly string[] {
  return part.state === 'approval-requested' ? [readApprovalId(part)] : [];
}

/** A used approval belongs to the run that stored the response. */
function awaitsApproval({ state }: ToolPart): boolean {
  return state === 'approval-requested';
}

/** A client may not give results of tools that the server runs. */
function takesResult(part: ToolPart, isClientSide: IsClientSide): boolean {
  if (part.state !== 'input-available' || part.providerExecuted === true) return false;
  return isClientSide(toolNameFromPart(part)) !== false;
}

function withApproval(part: ToolPart, response: Extract<ClientResponse, { type: 'approval' }>): ToolPart {
  const asked = 'approval' in part ? part.approval : undefined;
  const { approved, reason } = response;
  const changed = changedInput(part, response);
  // A user can write to the request what only a response has.
  const { approved: _, input: __, reason: ___, signature: ____, ...request }: Partial<SentApproval> = asked ?? {};
  const approval = {
    ...request,
    id: uiApprovalId(response),
    approved,
    ...(reason !== undefined && { reason }),
    ...(changed !== undefined && { input: changed }),
  };
  return { ...part, state: 'approval-responded', approval } as ToolPart;
}

function withResult(part: ToolPart, response: ResultOfClient): ToolPart {
  const { input } = part;
  return response.ok
    ? ({ ...(part as object), input, state: 'output-available', output: response.output } as ToolPart)
    : ({ ...(part as object), input, state: 'output-error', errorText: response.errorText } as ToolPart);
}

/** The written messages, with those of a later write in their place. */
export function withNewer(written: readonly Message[], newer: readonly Message[]): readonly Message[] {
  return [...written.filter(({ id }) => newer.every((message) => message.id !== id)), ...newer];
}

/**
 * The stored reply to the results of client-side tools that `useChat` sends again; undefined if
 * there is none, and for a message that contains it already: the client asks for more.
 */
export function replyToParts(sent: InputUIMessage, stored: Message): Message | undefined {
  const ids = sent.parts.flatMap((part) => ('toolCallId' in part ? [part.toolCallId] : []));
  return stepsAfter(sent.parts, ids) === undefined ? findReplyTo(ids, stored) : undefined;
}

/** The same for messages of role `tool`. */
export function replyToContents(
  sent: readonly Extract<ModelMessage, { role: 'tool' }>[],
  stored: Message,
): Message | undefined {
  const parts = sent.flatMap(({ content }) => content);
  return findReplyTo(
    parts.flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : [])),
    stored,
  );
}

/**
 * The stored message without an incomplete reply to these results: the run that continues the
 * message replies to them again.
 */
export function beforeIncompleteReply(stored: StoredMessage, toolCallIds: readonly string[]): StoredMessage {
  const response = isIncomplete(stored.parts) ? stepsAfter(stored.parts, toolCallIds) : undefined;
  return response === undefined ? stored : { ...stored, parts: stored.parts.slice(0, -response.length) };
}

function findReplyTo(toolCallIds: readonly string[], stored: Message): Message | undefined {
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
