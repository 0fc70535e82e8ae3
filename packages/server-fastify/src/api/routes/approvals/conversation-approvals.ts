import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import {
  type Conversation,
  type ConversationStore,
  cutText,
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
  hasApprovalRules,
  isoTime,
  toApprovalContext,
  toApprovalRef,
} from '@halyard/core/server';
import { type Caller, ownerForCaller, subjectForCaller } from '../../../access/identity.ts';
import { isVisible } from '../../../access/targets.ts';
import type { Services } from '../../services.ts';
import type { Approval } from './schemas.ts';

/** How many conversations, those that changed last, are looked through. */
const conversationsLimit = 200;
/**
 * How many requests with rules are looked through: of those, many may not wait any more, because
 * their conversations went on or were deleted.
 */
const recordsLimit = 1_000;
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
 */
export async function conversationApprovals(services: Services, caller: Caller): Promise<ConversationApprovals> {
  const owner = ownerForCaller(caller);
  const approvals: Approval[] = [];
  for (const store of listStores(services)) {
    const waiting = (await store.listWaiting?.(owner, conversationsLimit, services.limits.pageBytes)) ?? [];
    for (const { conversation, message } of waiting) {
      for (const call of waitingCalls({ conversation, message, store, caller }, services)) {
        const record = await recordOf(call, services);
        if (await mayAnswerCall(call, record, services, caller)) approvals.push(describe(call, record));
      }
      // Verifying takes time: other requests are served in between.
      await yieldToEventLoop();
    }
  }
  const listed = new Set(approvals.map(({ id }) => toApprovalRef(id).approvalId));
  const ofOthers = await approvalsOfOthers(services, caller, listed);
  return { ...ofOthers, approvals: [...approvals, ...ofOthers.approvals] };
}

interface ConversationApprovals {
  readonly approvals: readonly Approval[];
  /** Whether older requests of others were not looked through. */
  readonly hasMore: boolean;
}

/** The requests whose rules name the caller, except those that are `listed`. */
async function approvalsOfOthers(
  services: Services,
  caller: Caller,
  listed: ReadonlySet<string>,
): Promise<ConversationApprovals> {
  const approvals: Approval[] = [];
  const id = subjectForCaller(caller);
  if (caller.user === undefined || id === undefined) return { approvals, hasMore: false };
  let bytes = 0;
  for (let offset = 0; offset < recordsLimit; offset += conversationsLimit) {
    const records = await services.agentServices.approvals.listOpen(caller.user, id, conversationsLimit, offset);
    for (const record of records) {
      if (listed.has(record.id)) continue;
      if (approvals.length >= conversationsLimit || bytes > services.limits.pageBytes)
        return { approvals, hasMore: true };
      const call = await findRecorded(record, services);
      if (call === undefined || !(await mayAnswerCall(call, record, services, caller))) continue;
      const approval = { ...describe(call, record), conversation: await lastTexts(call) };
      bytes += JSON.stringify(approval).length;
      approvals.push(approval);
    }
    if (records.length < conversationsLimit) return { approvals, hasMore: false };
  }
  return { approvals, hasMore: true };
}

/** A request with rules. Undefined for one without, and for one that was used. */
async function recordOf(
  { signed: { approvalId } }: WaitingCall,
  { agentServices }: Pick<Services, 'agentServices'>,
): Promise<OpenApproval | undefined> {
  return hasApprovalRules(approvalId) ? agentServices.approvals.find(approvalId) : undefined;
}

/** The call of a request with rules, in the conversation of its user. */
async function findRecorded(
  { conversationId, id }: OpenApproval,
  services: WaitingServices,
): Promise<WaitingCall | undefined> {
  const [call, other] = await findCalls({ conversationId, id }, services, {
    address: '',
    user: undefined,
    isOperator: true,
  });
  return other === undefined ? call : undefined;
}

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
  const { isOperator = false, user } = caller;
  if (record === undefined) {
    if (hasApprovalRules(call.signed.approvalId)) return false;
    const owner = ownerForCaller(caller);
    const { agent, conversation } = call;
    if ((owner !== 'anyone' && owner.user !== conversation.userId) || !isVisible(agent, caller)) return false;
  }
  return agentServices.approvals.mayAnswer(record?.rules, toRequest(call, record), { user, isOperator });
}

function toRequest({ agent, conversation, part, toolName, userId }: WaitingCall, record: OpenApproval | undefined) {
  return {
    kind: 'tool' as const,
    requesterId: userId,
    approvers: record?.rules.approvers,
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
  const { isOperator = false, user } = caller;
  const run = { context: {}, conversationId: conversation.id, user: requester, userId };
  const { toolCallId } = part;
  const given = { toolCallId, toolName, context: {}, logger: agentServices.logger, signal };
  await checkInputChange(
    {
      tool: (await agent.toolsFor(run)).find(toolName),
      input,
      at: 'body/input',
      rules: record?.rules,
      request: toRequest(call, record),
      responder: { user, isOperator },
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

/**
 * @throws NotFoundError if the conversation does not wait for it, or not any more, or if the caller
 * may not answer it; InvalidInputError if several memories have it.
 */
export async function findCall(
  { conversationId, id }: { readonly conversationId: string; readonly id: string },
  services: WaitingServices,
  caller: Caller,
): Promise<AnswerableCall> {
  const everything = { address: caller.address, user: undefined, isOperator: true };
  const answerable: AnswerableCall[] = [];
  for (const call of await findCalls({ conversationId, id }, services, everything)) {
    const record = await recordOf(call, services);
    if (await mayAnswerCall(call, record, services, caller)) answerable.push({ ...call, record });
  }
  const [call, other] = answerable;
  if (call === undefined) throw new NotFoundError('approval', id);
  if (other !== undefined) throw new InvalidInputError(`Several memories have the approval "${id}"`);
  return call;
}

async function findCalls(
  { conversationId, id }: { readonly conversationId: string; readonly id: string },
  services: WaitingServices,
  caller: Caller,
): Promise<readonly WaitingCall[]> {
  const found: WaitingCall[] = [];
  for (const store of listStores(services)) {
    const page = await store.messages('anyone', conversationId, { limit: 1, roles: ['user', 'assistant'] });
    const message = page?.messages[0];
    if (page === undefined || message === undefined) continue;
    found.push(...waitingCalls({ conversation: page.conversation, message, store, caller, id }, services));
  }
  return found;
}

/** How many texts, each how long, an approver of somebody else's request reads. */
const shownTexts = 6;
const shownCharacters = 2_000;

export async function describeCall(call: AnswerableCall): Promise<Approval> {
  return { ...describe(call, call.record), conversation: await lastTexts(call) };
}

async function lastTexts({ conversation: { id }, store }: WaitingCall): Promise<NonNullable<Approval['conversation']>> {
  const page = await store.messages('anyone', id, { limit: shownTexts, roles: ['user', 'assistant'] });
  return (page?.messages ?? []).flatMap(({ parts, role }) => {
    const text = parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n');
    return text === '' ? [] : [{ role, text: cutText(text, shownCharacters) }];
  });
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
}

/**
 * The calls of a message for which a signature of this server is stored. The signature also tells
 * which agent asked.
 */
function waitingCalls(
  { caller, conversation, id, message: { createdAt, parts }, store }: WaitingMessage,
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
    const agent = agents.find((each) => agentServices.approvals.verify(signed, { ...subject, agentId: each.id }));
    return agent === undefined ? [] : [{ agent, conversation, signed, part, store, toolName, userId, createdAt }];
  });
}

function isWaiting(part: MessagePart): part is WaitingPart {
  return 'state' in part && part.state === 'approval-requested';
}

function describe(
  { agent, conversation, createdAt, part, signed, toolName, userId }: WaitingCall,
  record: OpenApproval | undefined,
): Approval {
  return {
    id: part.approval.id,
    kind: 'tool',
    // Not the reason in the message: it is not signed, so the user can write what persuades.
    reason: `Tool "${toolName}" needs approval`,
    requestedAt: isoTime(createdAt),
    expiresAt: isoTime(Number(signed.signature.split('.', 1)[0])),
    agentId: agent.id,
    toolName,
    input: part.input,
    resumeSchema: null,
    userId: userId ?? null,
    approvers: record?.rules.approvers.slice() ?? null,
    quorum: record?.rules.quorum ?? 1,
    conversationId: conversation.id,
    workflowId: null,
    executionId: null,
    stepId: null,
  };
}
