import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import {
  type Conversation,
  type ConversationStore,
  InvalidInputError,
  type MessagePart,
  NotFoundError,
  type OpenApproval,
  type StoredMessage,
  type ToolPart,
  type User,
} from '@halyard/contracts';
import type { Agent } from '@halyard/core';
import {
  type ApprovalRequest,
  changedInput,
  checkInputChange,
  findRequestedTool,
  hasApprovalRules,
  rulesOf,
  toApprovalContext,
  toApprovalRef,
} from '@halyard/core/server';
import { covers } from '../../../access/console-roles.ts';
import {
  type Caller,
  limitsOfOperator,
  ownerForCaller,
  responderForCaller,
  subjectForCaller,
} from '../../../access/identity.ts';
import { isVisible } from '../../../access/targets.ts';
import type { Services } from '../../services.ts';
import { describe, lastTexts } from './describe-call.ts';
import { mapConcurrently } from './map-concurrently.ts';
import type { Approval } from './schemas.ts';

/** How many conversations, those that changed last, are looked through. */
const conversationsLimit = 200;
/**
 * How many requests with rules are looked through: of those, many may not wait any more, because
 * their conversations went on or were deleted. Each page of `conversationsLimit` costs two
 * statements.
 */
const recordsLimit = 10_000;
/** How many statements of one list run at a time: the others are left connections of the pool. */
const readsAtOnce = 4;
/**
 * How many calls of a message are verified. Users write messages with as many as they like; those
 * beyond are listed when others have a response.
 */
const callsLimit = 50;

type WaitingPart = Extract<ToolPart, { state: 'approval-requested' }>;

/**
 * A tool call in a conversation that waits for an approval which this server has signed, and which
 * has not expired.
 */
export interface WaitingCall {
  readonly agent: Agent;
  readonly conversation: Conversation;
  readonly signed: ApprovalRequest;
  readonly part: WaitingPart;
  readonly toolName: string;
  /** Undefined for a run without a user. */
  readonly userId: string | undefined;
  readonly createdAt: number;
  readonly store: ConversationStore;
}

/**
 * The requests of agents that wait in conversations, and that the caller may answer. Their stored
 * messages say so; about requests with rules, the store of approvals has a record, too.
 *
 * @param isExpired also those whose time is over, until that is recorded
 */
export async function conversationApprovals(
  services: Services,
  caller: Caller,
  isExpired?: true,
): Promise<ConversationApprovals> {
  const owner = ownerForCaller(caller);
  const calls: WaitingCall[] = [];
  for (const store of listStores(services)) {
    const waiting = (await store.listWaiting?.(owner, conversationsLimit, services.limits.pageBytes)) ?? [];
    for (const { conversation, message } of waiting) {
      calls.push(...waitingCalls({ conversation, message, store, caller, isExpired }, services));
      // Verifying takes time: other requests are served in between.
      await yieldToEventLoop();
    }
  }
  const recorded = await mapConcurrently(calls, readsAtOnce, async (call) => ({
    ...call,
    record: await recordOf(call, services),
  }));
  const answerable = await onlyAnswerable(recorded, services, caller);
  const approvals = answerable.map((call) => describe(call, call.record));
  const listed = new Set(approvals.map(({ id }) => toApprovalRef(id).approvalId));
  const ofOthers = await approvalsOfOthers(services, caller, listed);
  // What a console role does not cover is none of its own.
  const own = caller.user === undefined ? [] : recorded;
  const withOthers = own
    .filter((call) => (call.record !== undefined || isExpired === true) && !answerable.includes(call))
    .map(({ conversation, part }) => ({
      id: part.approval.id,
      executionId: null,
      conversationId: conversation.id,
    }));
  return { ...ofOthers, approvals: [...approvals, ...ofOthers.approvals], withOthers };
}

export interface ConversationApprovals {
  readonly approvals: readonly Approval[];
  /** Those of own conversations that others may answer, and not the caller. */
  readonly withOthers: readonly Pick<Approval, 'conversationId' | 'executionId' | 'id'>[];
  /** Whether older requests of others were not looked through. */
  readonly hasMore: boolean;
}

/** The requests whose rules name the caller, except those that are `listed`. */
async function approvalsOfOthers(
  services: Services,
  caller: Caller,
  listed: ReadonlySet<string>,
): Promise<Omit<ConversationApprovals, 'withOthers'>> {
  const id = subjectForCaller(caller);
  if (caller.user === undefined || id === undefined) return { approvals: [], hasMore: false };
  const found = new Map<string, AnswerableCall>();
  let hasMore = true;
  for (let offset = 0; hasMore && offset < recordsLimit && found.size < conversationsLimit;) {
    const records = await services.agentServices.approvals.listOpen(caller.user, id, conversationsLimit, offset);
    const calls = await findRecorded(
      records.filter((record) => !listed.has(record.id)),
      services,
    );
    for (const call of await onlyAnswerable(calls, services, caller)) found.set(call.signed.approvalId, call);
    hasMore = records.length === conversationsLimit;
    offset += conversationsLimit;
  }
  const shown = [...found.values()].slice(0, conversationsLimit);
  const described = await mapConcurrently(shown, readsAtOnce, async (call) => ({
    ...describe(call, call.record),
    conversation: await lastTexts(call),
  }));
  let bytes = 0;
  const approvals = described.filter((approval) => {
    const isWithin = bytes <= services.limits.pageBytes;
    bytes += JSON.stringify(approval).length;
    return isWithin;
  });
  return { approvals, hasMore: hasMore || approvals.length < found.size };
}

/** Those that the caller may answer, in the same order. The checks of the app run at the same time. */
async function onlyAnswerable(
  calls: readonly AnswerableCall[],
  services: Pick<Services, 'agentServices'>,
  caller: Caller,
): Promise<readonly AnswerableCall[]> {
  const may = await Promise.all(calls.map((call) => mayAnswerCall(call, call.record, services, caller)));
  return calls.filter((_, index) => may[index] === true);
}

/** A request with rules. Undefined for one without, and for one that was used. */
async function recordOf(
  { signed: { approvalId } }: WaitingCall,
  { agentServices }: Pick<Services, 'agentServices'>,
): Promise<OpenApproval | undefined> {
  return hasApprovalRules(approvalId) ? agentServices.approvals.find(approvalId) : undefined;
}

/**
 * The calls of requests with rules that still wait, in the same order. An id that several memories
 * have is ambiguous, so that it is left out.
 */
async function findRecorded(
  records: readonly OpenApproval[],
  services: WaitingServices & Pick<Services, 'limits'>,
): Promise<readonly AnswerableCall[]> {
  if (records.length === 0) return [];
  const conversationIds = [...new Set(records.map(({ conversationId }) => conversationId))];
  const waiting: WaitingMessage[] = [];
  for (const store of listStores(services)) {
    const { pageBytes } = services.limits;
    const messages = (await store.listWaiting?.('anyone', conversationIds.length, pageBytes, conversationIds)) ?? [];
    waiting.push(...messages.map((message) => ({ ...message, store, caller: everybody })));
  }
  const byConversation = Map.groupBy(waiting, ({ conversation }) => conversation.id);
  return records.flatMap((record) => {
    const messages = byConversation.get(record.conversationId) ?? [];
    const [call, other] = messages.flatMap((message) => waitingCalls({ ...message, id: record.id }, services));
    return call === undefined || other !== undefined ? [] : [{ ...call, record }];
  });
}

/** Reads what any caller may: whether this one may answer is checked after that. */
const everybody: Caller = { address: '', user: undefined, isOperator: true };

/**
 * Whether the caller may answer: an operator, those whom the rules name, or without rules the user of
 * the conversation. A request with rules that are not stored any more was answered.
 */
async function mayAnswerCall(
  call: WaitingCall,
  record: OpenApproval | undefined,
  { agentServices }: Pick<Services, 'agentServices'>,
  caller: Caller,
): Promise<boolean> {
  const { agent, conversation } = call;
  const limits = limitsOfOperator(caller);
  if (limits !== undefined && !covers(limits, { kind: 'agent', id: agent.id, startedBy: record?.user })) return false;
  if (record === undefined && hasApprovalRules(call.signed.approvalId)) return false;
  const rules = rulesOf(record);
  if (rules === undefined) {
    const owner = ownerForCaller(caller);
    if ((owner !== 'anyone' && owner.user !== conversation.userId) || !isVisible(agent, caller)) return false;
  }
  return agentServices.approvals.mayAnswer(rules, toRequest(call, record), responderForCaller(caller));
}

function toRequest({ agent, conversation, part, toolName, userId }: WaitingCall, record: OpenApproval | undefined) {
  return {
    kind: 'tool' as const,
    requesterId: userId,
    approvers: rulesOf(record)?.approvers,
    agentId: agent.id,
    toolName,
    input: part.input,
    conversationId: conversation.id,
  };
}

/**
 * Checks that the caller may approve a call with other arguments.
 *
 * @param requester the verified user of the run.
 * @throws InvalidInputError, HalyardError (`OPERATION_NOT_ALLOWED`)
 */
export async function checkChange(
  call: AnswerableCall,
  input: unknown,
  {
    caller,
    requester,
    signal,
  }: { readonly caller: Caller; readonly requester: User | undefined; readonly signal: AbortSignal },
  { agentServices }: Pick<Services, 'agentServices'>,
): Promise<void> {
  const { agent, conversation, part, record, signed, toolName, userId } = call;
  if (changedInput(part, { approved: true, input }) === undefined) return;
  const run = { context: {}, conversationId: conversation.id, user: requester, userId };
  const { toolCallId } = part;
  const tools = await agent.toolsFor(run);
  const given = { toolCallId, toolName, context: {}, logger: agentServices.logger, signal };
  await checkInputChange(
    {
      tool: await findRequestedTool({ approvalId: signed.approvalId, toolName }, tools, run, agentServices.approvals),
      input,
      at: 'body/input',
      rules: rulesOf(record),
      request: toRequest(call, record),
      responder: responderForCaller(caller),
      context: toApprovalContext({ ...given, idempotencyKey: signed.approvalId }, run),
    },
    agentServices,
  );
}

/** A call that the caller may answer. */
export interface AnswerableCall extends WaitingCall {
  /** Undefined for a request without rules. */
  readonly record: OpenApproval | undefined;
}

interface FoundRequest {
  readonly conversationId: string;
  readonly id: string;
}

/**
 * @throws NotFoundError if the conversation does not wait for it, or not any more, or if the caller
 * may not answer it; InvalidInputError if several memories have it.
 */
export async function findCall(
  { conversationId, id }: FoundRequest,
  services: WaitingServices,
  caller: Caller,
): Promise<AnswerableCall> {
  const answerable: AnswerableCall[] = [];
  for (const call of await findCalls({ conversationId, id }, services, everybody)) {
    const record = await recordOf(call, services);
    if (await mayAnswerCall(call, record, services, caller)) answerable.push({ ...call, record });
  }
  const [call, other] = answerable;
  if (call === undefined) throw new NotFoundError('approval', id);
  if (other !== undefined) throw new InvalidInputError(`Several memories have the approval "${id}"`);
  return call;
}

/**
 * The call of a request that waits, or would if it had not expired. Undefined also if several
 * memories have it.
 */
export async function findUnanswered(
  request: FoundRequest,
  services: WaitingServices,
): Promise<WaitingCall | undefined> {
  const [call, other] = await findCalls({ ...request, isExpired: true }, services, everybody);
  return other === undefined ? call : undefined;
}

/**
 * By which the decisions of several people are stored: those of an earlier round do not count. How
 * the request was settled is stored by its id.
 */
export function decisionsKeyOf(approvalId: string, round = 0): string {
  return `${approvalId}#${round}`;
}

async function findCalls(
  { isExpired, conversationId, id }: Pick<WaitingMessage, 'isExpired'> & FoundRequest,
  services: WaitingServices,
  caller: Caller,
): Promise<readonly WaitingCall[]> {
  const found: WaitingCall[] = [];
  for (const store of listStores(services)) {
    const page = await store.messages('anyone', conversationId, { limit: 1, roles: ['user', 'assistant'] });
    const message = page?.messages[0];
    if (page === undefined || message === undefined) continue;
    const { conversation } = page;
    found.push(...waitingCalls({ conversation, message, store, caller, id, isExpired }, services));
  }
  return found;
}

type WaitingServices = Pick<Services, 'memories' | 'registry' | 'agentServices'>;

/** Each store once: memories may share it. */
function listStores({ memories }: WaitingServices): readonly ConversationStore[] {
  return [...new Set(memories.all.map(({ storage }) => storage.conversations))];
}

interface WaitingMessage {
  readonly conversation: Conversation;
  readonly message: StoredMessage;
  readonly store: ConversationStore;
  /** The caller, who sees only the calls of agents that it may reach. */
  readonly caller: Caller;
  /** Only the call with this approval. */
  readonly id?: string;
  /** Also a call whose request has expired. */
  readonly isExpired?: true | undefined;
}

/**
 * The calls of a message for which a signature of this server is stored. The signature also tells
 * which agent asked.
 */
function waitingCalls(
  { caller, conversation, id, isExpired, message: { createdAt, parts }, store }: WaitingMessage,
  { memories, registry, agentServices }: WaitingServices,
): readonly WaitingCall[] {
  const { id: conversationId } = conversation;
  // A run without a user is signed without one.
  const userId = conversation.userId === agentServices.anonymousUserId ? undefined : conversation.userId;
  const agents = registry.agents.filter(
    (agent) => isVisible(agent, caller) && memories.of(agent)?.storage.conversations === store,
  );
  const asked = id === undefined ? undefined : toApprovalRef(id).approvalId;
  const waiting = parts
    .filter(isWaiting)
    .filter(({ approval }) => asked === undefined || toApprovalRef(approval.id).approvalId === asked);
  return waiting.slice(0, callsLimit).flatMap((part) => {
    const { approval, input, toolCallId } = part;
    const { approvalId, signature } = toApprovalRef(approval.id, approval.signature);
    if (signature === undefined) return [];
    const toolName = part.type === 'dynamic-tool' ? part.toolName : part.type.slice('tool-'.length);
    const signed = { approvalId, signature };
    const subject = { toolName, toolCallId, input, userId, conversationId };
    const agent = agents.find((each) =>
      agentServices.approvals.verify(signed, { ...subject, agentId: each.id }, isExpired),
    );
    return agent === undefined ? [] : [{ agent, conversation, signed, part, store, toolName, userId, createdAt }];
  });
}

function isWaiting(part: MessagePart): part is WaitingPart {
  return 'state' in part && part.state === 'approval-requested';
}
