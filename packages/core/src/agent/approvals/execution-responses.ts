import type { MessagePart, User } from '@halyard/contracts';
import { storageFailure } from '../../conversation/read-messages.ts';
import { runOwner } from '../../memory/run-owner.ts';
import type { AgentInput, ModelMessage } from '../../model/messages/message.ts';
import { toModelMessages } from '../../model/prompt/to-model-messages.ts';
import { acceptInput } from '../agent-input.ts';
import type { AgentServices } from '../agent-services.ts';
import type { Agent } from '../agent.ts';
import { findSentResponses, verifyResponses } from './approval-responses.ts';
import { approvalNotAccepted, readCallAddress, toApprovalRef } from './approvals.ts';

/**
 * A response in the messages of a chat to an approval request of an agent that runs in an
 * execution.
 */
export interface ExecutionResponse {
  /** Id of the root execution. */
  readonly executionId: string;
  /** Path of the suspension that it resumes. */
  readonly path: string;
  readonly approvalId: string;
  readonly approved: boolean;
  readonly reason: string | undefined;
  /** The arguments that the person gives in place of those of the call. */
  readonly input?: unknown;
}

/** The user and conversation of a request. */
export interface Asker {
  readonly userId: string | undefined;
  readonly conversationId: string | undefined;
  /** The verified user, whose conversations are read. Default: conversations of any user. */
  readonly user?: User | undefined;
}

/**
 * Finds the responses to approval requests of executions at the end of the messages, and verifies
 * each: this server signed the request, for a call of this agent or one of its sub-agents, with
 * this input, user and conversation, and it has not expired. The code that resumes the suspension
 * makes sure that a response is used once.
 *
 * A client may send only the responses if the agent's memory has the message that they answer.
 *
 * Returns an empty list where the messages are for a run of the agent itself. Such a run accepts
 * none of these answers.
 *
 * @throws InvalidInputError (`APPROVAL_NOT_ACCEPTED`) for a response that is forged, expired, given
 * twice or for another call, and for one that belongs to no execution while another one does.
 */
export async function findExecutionResponses(
  input: AgentInput,
  agent: Agent,
  services: Pick<AgentServices, 'approvals' | 'memory'>,
  asker: Asker,
): Promise<readonly ExecutionResponse[]> {
  // Most requests have no such responses: their messages are not converted.
  if (typeof input === 'string' || !namesPlace(input)) return [];
  const { messages } = await acceptInput(input, { acceptSystemMessages: true });
  const given = findSentResponses(
    messages.every(({ role }) => role === 'tool')
      ? [...(await readAsked(agent, services, asker)), ...messages]
      : messages,
  );
  // The run of the agent refuses responses without a call.
  if (given === undefined || given.open.length === 0) return [];
  if (given.responses.every(({ request }) => readCallAddress(request.approvalId) === undefined)) return [];

  const { conversationId, userId } = asker;
  const subjects = [
    { agentId: agent.id, userId, conversationId },
    // A sub-agent has no access to the conversation.
    ...subAgentIds(agent).map((agentId) => ({ agentId, userId, conversationId: undefined })),
  ];
  const verified = await verifyResponses(given, (request, { input: args, toolCallId, toolName }) =>
    subjects.some((subject) => services.approvals.verify(request, { ...subject, toolName, toolCallId, input: args })),
  );
  return verified.map(({ approved, input: changed, reason, request: { approvalId } }) => {
    const [, executionId, path] = /^([^/]+)\/(.+)$/s.exec(readCallAddress(approvalId) ?? '') ?? [];
    if (executionId === undefined || path === undefined) throw approvalNotAccepted(approvalId);
    return { executionId, path, approvalId, approved, reason, ...(changed !== undefined && { input: changed }) };
  });
}

/**
 * The newest stored response of the conversation, without signatures: those must come from the
 * client.
 */
async function readAsked(
  agent: Agent,
  services: Pick<AgentServices, 'memory'>,
  { conversationId, user }: Asker,
): Promise<readonly ModelMessage[]> {
  const memory = agent.memoryIn(services);
  if (memory === undefined || conversationId === undefined) return [];
  const newest = { limit: 1, roles: ['user', 'assistant'] as const };
  const found = await memory.storage.conversations
    .messages(runOwner(user), conversationId, newest)
    .catch((error: unknown) => Promise.reject(storageFailure(error)));
  const last = found?.messages.at(-1);
  if (last?.role !== 'assistant') return [];
  return toModelMessages([{ role: 'assistant', parts: last.parts.map(withoutSignature) }]);
}

function withoutSignature(part: MessagePart): MessagePart {
  if (!('approval' in part) || part.approval === undefined) return part;
  const { signature: _, ...approval } = part.approval;
  return { ...part, approval: { ...approval, id: toApprovalRef(approval.id).approvalId } } as MessagePart;
}

function namesPlace(input: readonly unknown[]): boolean {
  const messages = input.filter((message) => typeof message === 'object' && message !== null);
  const last = messages.findLastIndex((message) => 'role' in message && message.role === 'assistant');
  const parts = messages.slice(Math.max(last, 0)).flatMap((message): readonly unknown[] => {
    const { content, parts: list = content }: { content?: unknown; parts?: unknown } = message;
    return Array.isArray(list) ? list : [];
  });
  return parts.some((part) => listApprovalIds(part).some((id) => typeof id === 'string' && id.includes('@')));
}

/** Of a part of a model message or of a UI message. */
function listApprovalIds(part: unknown): readonly unknown[] {
  if (typeof part !== 'object' || part === null) return [];
  const { approval, approvalId }: { approval?: unknown; approvalId?: unknown } = part;
  return [approvalId, typeof approval === 'object' && approval !== null && 'id' in approval ? approval.id : undefined];
}

function subAgentIds(agent: Agent): readonly string[] {
  const ids = new Set<string>();
  const add = ({ subAgents }: Agent): void => {
    for (const subAgent of subAgents) {
      if (ids.has(subAgent.id)) continue;
      ids.add(subAgent.id);
      add(subAgent);
    }
  };
  add(agent);
  return [...ids];
}
