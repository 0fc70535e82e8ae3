import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import {
  type Conversation,
  type ConversationStore,
  InvalidInputError,
  type MessagePart,
  NotFoundError,
  type Owner,
  type StoredMessage,
  type ToolPart,
} from '@halyard/contracts';
import type { Agent } from '@halyard/core';
import { type ApprovalRequest, isoTime, toApprovalRef } from '@halyard/core/server';
import type { Caller } from '../../../access/identity.ts';
import { isVisible } from '../../../access/targets.ts';
import type { Services } from '../../services.ts';
import type { Approval } from './schemas.ts';

/** How many conversations, those that changed last, are looked through. */
const conversationsLimit = 200;
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
}

/**
 * The requests of agents that wait in conversations. Their stored messages say so: nothing else is
 * stored about a request.
 */
export async function conversationApprovals(
  owner: Owner,
  services: Services,
  caller: Caller,
): Promise<readonly Approval[]> {
  const approvals: Approval[] = [];
  for (const store of listStores(services)) {
    const waiting = (await store.listWaiting?.(owner, conversationsLimit, services.limits.pageBytes)) ?? [];
    for (const { conversation, message } of waiting) {
      approvals.push(...waitingCalls({ conversation, message, store, caller }, services).map(describe));
      // Verifying takes time: other requests are served in between.
      await yieldToEventLoop();
    }
  }
  return approvals;
}

/**
 * @throws NotFoundError if the conversation does not wait for it, or not any more;
 * InvalidInputError if several memories have it.
 */
export async function findCall(
  owner: Owner,
  { conversationId, id }: { readonly conversationId: string; readonly id: string },
  services: WaitingServices,
  caller: Caller,
): Promise<WaitingCall> {
  const found: WaitingCall[] = [];
  for (const store of listStores(services)) {
    const page = await store.messages(owner, conversationId, { limit: 1, roles: ['user', 'assistant'] });
    const message = page?.messages[0];
    if (page === undefined || message === undefined) continue;
    found.push(...waitingCalls({ conversation: page.conversation, message, store, caller, id }, services));
  }
  const [call, other] = found;
  if (call === undefined) throw new NotFoundError('approval', id);
  if (other !== undefined) throw new InvalidInputError(`Several memories have the approval "${id}"`);
  return call;
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
    return agent === undefined ? [] : [{ agent, conversation, signed, part, toolName, userId, createdAt }];
  });
}

function isWaiting(part: MessagePart): part is WaitingPart {
  return 'state' in part && part.state === 'approval-requested';
}

function describe({ agent, conversation, createdAt, part, signed, toolName, userId }: WaitingCall): Approval {
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
    conversationId: conversation.id,
    workflowId: null,
    executionId: null,
    stepId: null,
  };
}
