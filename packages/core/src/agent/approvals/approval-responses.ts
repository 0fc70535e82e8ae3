import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { InvalidInputError, type Logger, type OpenApproval, type User } from '@halyard/contracts';
import type { ModelMessage } from '../../model/messages/message.ts';
import { isDelegatedCall } from '../../model/prompt/delegated-calls.ts';
import type { AgentServices } from '../agent-services.ts';
import type { AgentTools } from '../agent-tools.ts';
import type { Agent } from '../agent.ts';
import type { ApprovalResponse } from '../loop/run.ts';
import {
  type ApprovalAnswered,
  approvalNotAccepted,
  hasApprovalRules,
  type ApprovalRef,
  type ApprovalRequest,
  readCallAddress,
  readDelegation,
  rulesOf,
  type SettledApproval,
  toApprovalRef,
} from './approvals.ts';
import { changedInput, checkInputChange, toApprovalContext } from './changed-input.ts';
import { type AnsweredDelegation, findAnsweredDelegations, findRequestedTool } from './delegated-calls.ts';

/** The user and the conversation of a run, whose input may contain responses. */
export interface ResponderOfRun {
  readonly user?: User | undefined;
  readonly userId: string | undefined;
  readonly conversationId: string | undefined;
  /** Requests whose responses were accepted before the run. */
  readonly settledApprovals?: readonly SettledApproval[] | undefined;
  readonly context: Readonly<Record<string, unknown>>;
}

/** A run whose input may contain responses. */
interface RespondingRun {
  readonly id: string;
  readonly agent: Agent;
  readonly tools: AgentTools;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** An earlier attempt of the run has accepted the responses. */
  readonly isRepeated: boolean;
}

/** The responses to approval requests in the messages of a request. */
export interface AcceptedResponses {
  /** For calls of the agent itself. */
  readonly responses: readonly ApprovalResponse[];
  /** Those for calls of its sub-agents. */
  readonly delegations: readonly AnsweredDelegation[];
  /** Must be marked as used when the whole request is accepted. */
  readonly requests: readonly AnsweredRequest[];
  /** Another call of the same step has no response yet. */
  readonly isWaiting: boolean;
  /**
   * Without the results that the conversion of UI messages adds for denied calls: this run adds its
   * own.
   */
  readonly messages: readonly ModelMessage[];
}

export interface AnsweredRequest {
  readonly request: ApprovalRequest;
  readonly answer: ApprovalAnswered;
}

type Message<Role extends ModelMessage['role']> = Extract<ModelMessage, { role: Role }>;
type OpenCall = Pick<
  Extract<Exclude<Message<'assistant'>['content'], string>[number], { type: 'tool-call' }>,
  'toolCallId' | 'toolName' | 'input' | 'providerOptions'
>;
type Response = Extract<Message<'tool'>['content'][number], { type: 'tool-approval-response' }> & {
  readonly signature?: string;
  readonly input?: unknown;
};

/**
 * Finds the responses to approval requests at the end of the messages, and verifies each: also that
 * the user of the run may respond, and with these arguments. Earlier answers belong to earlier runs.
 *
 * @throws InvalidInputError (`APPROVAL_NOT_ACCEPTED`) for a response that is forged, expired, given
 * twice, or for a call of an execution or another call; what {@link checkInputChange} throws.
 */
export async function acceptApprovalResponses(
  messages: readonly ModelMessage[],
  { agent, id, isRepeated, logger, signal, tools }: RespondingRun,
  { approvals }: Pick<AgentServices, 'approvals'>,
  { context, conversationId, settledApprovals = [], user, userId }: ResponderOfRun,
): Promise<AcceptedResponses> {
  const given = findSentResponses(messages);
  if (given === undefined) return { responses: [], delegations: [], requests: [], isWaiting: false, messages };

  const { asked, end, open } = given;
  const accepted = await verifyResponses(given, (request, { input, toolCallId, toolName }) => {
    // Only the execution itself runs such a call.
    if (readCallAddress(request.approvalId) !== undefined) return false;
    const isSettled = isRepeated || findSettled(request) !== undefined;
    const subject = { agentId: agent.id, toolName, toolCallId, input, userId, conversationId };
    return approvals.verify(request, subject, isSettled);
  });
  for (const response of accepted) {
    if (isRepeated || findSettled(response.request) !== undefined) continue;
    await checkResponse(response);
  }
  const decided = new Set(accepted.map(({ call }) => call.toolCallId));
  const waits = ({ providerOptions, toolCallId, toolName }: OpenCall): boolean => {
    if (decided.has(toolCallId)) return false;
    const tool = tools.find(toolName);
    // A client that responds to one call need not repeat the approval request of another.
    return (
      asked.has(toolCallId) ||
      tool?.clientSide === true ||
      (accepted.length > 0 && isDelegatedCall(providerOptions)) ||
      (accepted.length > 0 && tool !== undefined && tool.approval !== false)
    );
  };
  return {
    responses: accepted.flatMap(({ request, ...response }) =>
      readDelegation(request.approvalId) === undefined ? [response] : [],
    ),
    delegations: await findAnsweredDelegations(accepted, approvals),
    requests: accepted.map(({ approved, reason, request }) => ({
      request,
      answer: { ...(findSettled(request) ?? { answeredBy: userId }), approved, reason },
    })),
    isWaiting: open.some(waits),
    messages: [...messages.slice(0, end), ...withoutResults(messages.slice(end), decided)],
  };

  function findSettled({ approvalId }: ApprovalRef): SettledApproval | undefined {
    return settledApprovals.find((settled) => settled.approvalId === approvalId);
  }

  /** Checks that the user of the run may respond. */
  async function checkResponse({ call, input, request: { approvalId } }: VerifiedResponse): Promise<void> {
    const stored = hasApprovalRules(approvalId) ? await approvals.find(approvalId) : undefined;
    const rules = rulesOf(stored);
    const subject = { kind: 'tool' as const, requesterId: userId, approvers: rules?.approvers, agentId: agent.id };
    const request = { ...subject, ...call, conversationId };
    const responder = { user, isOperator: false };
    if (!isOpen(approvalId, stored) || !(await approvals.mayAnswer(rules, request, responder)))
      throw approvalNotAccepted(approvalId);
    if (input === undefined) return;
    const { toolCallId, toolName } = call;
    const fields = { toolCallId, toolName, context, logger, signal, idempotencyKey: `${id}/answers/${toolCallId}` };
    const callContext = toApprovalContext(fields, { conversationId, user, userId });
    const tool = await findRequestedTool(
      { approvalId, toolName },
      tools,
      { context, conversationId, user, userId },
      approvals,
    );
    await checkInputChange(
      { tool, input, at: `approval "${approvalId}": input`, rules, request, responder, context: callContext },
      { approvals },
    );
  }
}

/**
 * A request with rules that are not stored any more was answered. Where several must approve, they
 * are counted by `POST /api/approvals/answer`.
 */
function isOpen(approvalId: string, stored: OpenApproval | undefined): boolean {
  return !hasApprovalRules(approvalId) || (stored !== undefined && stored.rules.quorum === undefined);
}

/** The responses at the end of the messages. */
export interface SentResponses {
  /** Their position. */
  readonly end: number;
  /** Calls without a result. */
  readonly open: readonly OpenCall[];
  /** Ids of the calls with an approval request. */
  readonly asked: ReadonlySet<string>;
  /** Responses to the approval requests of calls without a result. */
  readonly responses: readonly SentApprovalResponse[];
}

interface SentApprovalResponse {
  readonly request: ApprovalRef;
  /**
   * The call that the request in the messages is for. Undefined if the client does not repeat the
   * request.
   */
  readonly toolCallId: string | undefined;
  readonly approved: boolean;
  readonly reason: string | undefined;
  readonly input?: unknown;
}

/** A response whose signature was verified. */
export interface VerifiedResponse extends ApprovalResponse {
  readonly request: ApprovalRequest;
}

/** Undefined unless the messages end with responses. */
export function findSentResponses(messages: readonly ModelMessage[]): SentResponses | undefined {
  const end = 1 + messages.findLastIndex(({ role }) => role !== 'tool');
  const after = messages.slice(end).filter(isToolMessage);
  if (after.length === 0) return undefined;

  const asking = messages[end - 1];
  // Without a message of the assistant, a response fits no call and is refused.
  const parts = asking?.role === 'assistant' && typeof asking.content !== 'string' ? asking.content : [];
  const responses = after.flatMap(({ content }) => content.filter(isResponse));
  const settledByResult = new Set(
    after.flatMap(({ content }) =>
      content.flatMap((part) =>
        part.type === 'tool-result' && (responses.length === 0 || !isDenial(part)) ? [part.toolCallId] : [],
      ),
    ),
  );
  const open = parts.flatMap((part) =>
    part.type === 'tool-call' && part.providerExecuted !== true && !settledByResult.has(part.toolCallId) ? [part] : [],
  );
  const requests = parts.flatMap((part) =>
    part.type === 'tool-approval-request'
      ? [{ toolCallId: part.toolCallId, ...toApprovalRef(part.approvalId, part.signature) }]
      : [],
  );
  // Of several with one id, the first counts.
  const requestsById = new Map(requests.toReversed().map((request) => [request.approvalId, request]));
  const usedBefore = new Set(
    requests.flatMap((request) => (settledByResult.has(request.toolCallId) ? [request.approvalId] : [])),
  );
  return {
    end,
    open,
    asked: new Set(requests.map(({ toolCallId }) => toolCallId)),
    responses: responses.flatMap(({ approvalId: id, approved, input, reason, signature: sent }) => {
      const { approvalId } = toApprovalRef(id);
      if (usedBefore.has(approvalId)) return [];
      const asked = requestsById.get(approvalId);
      const request = toApprovalRef(id, sent ?? asked?.signature);
      return [{ request, toolCallId: asked?.toolCallId, approved, reason, ...(input !== undefined && { input }) }];
    }),
  };
}

/** Among how many calls that of a response is looked for. Each comparison computes a signature. */
const comparedCalls = 100;

/**
 * Finds the call of each response by its signature: a client need not repeat the approval request,
 * except where there are more than 100 calls.
 *
 * @param fits whether the request is for that call.
 * @throws InvalidInputError (`APPROVAL_NOT_ACCEPTED`) for a response that fits no call, and for a
 * second answer to a call.
 */
export async function verifyResponses(
  { open, responses }: SentResponses,
  fits: (request: SentApprovalResponse['request'], call: OpenCall) => boolean,
): Promise<readonly VerifiedResponse[]> {
  const callsById = new Map(open.map((call) => [call.toolCallId, call]));
  const verified = new Map<string, VerifiedResponse>();
  for (const { reason, request, toolCallId: askedId, ...decision } of responses) {
    const { approvalId, signature } = request;
    // The inputs of the calls can be long: other requests are served in between.
    if (verified.size > 0) await yieldToEventLoop();
    if (askedId === undefined && open.length > comparedCalls) throw requestNotRepeated(approvalId);
    // The client says which call it has shown: no other one is accepted.
    const shown = askedId === undefined ? open : [callsById.get(askedId)].filter((call) => call !== undefined);
    const found = shown.find((call) => fits(request, call));
    if (found === undefined || signature === undefined || verified.has(found.toolCallId))
      throw approvalNotAccepted(approvalId);
    const { input, toolCallId, toolName } = found;
    const changed = changedInput(found, decision);
    verified.set(toolCallId, {
      request: { approvalId, signature },
      call: { toolCallId, toolName, input },
      approved: decision.approved,
      reason,
      ...(changed !== undefined && { input: changed }),
    });
  }
  return [...verified.values()];
}

function requestNotRepeated(approvalId: string): InvalidInputError {
  return new InvalidInputError(
    `Approval "${approvalId}" is not accepted: with more than ${comparedCalls} calls that have no result, send its approval request, too`,
    { code: 'APPROVAL_NOT_ACCEPTED' },
  );
}

function isToolMessage(message: ModelMessage): message is Message<'tool'> {
  return message.role === 'tool';
}

function isResponse(part: Message<'tool'>['content'][number]): part is Response {
  return part.type === 'tool-approval-response' && part.providerExecuted !== true;
}

function isDenial(part: Extract<Message<'tool'>['content'][number], { type: 'tool-result' }>): boolean {
  return part.output.type === 'execution-denied';
}

function withoutResults(messages: readonly ModelMessage[], decided: ReadonlySet<string>): readonly ModelMessage[] {
  return messages.flatMap((message): readonly ModelMessage[] => {
    if (message.role !== 'tool') return [message];
    const content = message.content.filter((part) => part.type !== 'tool-result' || !decided.has(part.toolCallId));
    return content.length === 0 ? [] : [{ ...message, content }];
  });
}
