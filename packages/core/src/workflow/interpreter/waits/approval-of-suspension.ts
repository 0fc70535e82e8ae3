import {
  asksPeople,
  type Execution,
  HalyardError,
  type JsonValue,
  type ResumeRequest,
  type StoredApprovalRules,
  type Suspension,
} from '@halyard/contracts';
import type { AgentServices } from '../../../agent/agent-services.ts';
import type { AnswerableRequest } from '../../../agent/approvals/approval-rules.ts';
import type { DecisionOutcome, Responder } from '../../../agent/approvals/approvals.ts';
import { findExpiry } from './suspension-report.ts';

type Services = Pick<AgentServices, 'approvals'>;

/**
 * The request as the app sees it when it decides who may respond.
 *
 * @param execution that waits, or the root around it.
 */
export function answerableRequest(
  { conversationId, rootExecutionId, userId, workflowId }: Execution,
  { data, kind, rules }: Suspension,
): AnswerableRequest {
  const { agentId, input, toolName } = (kind === 'approval' && isObject(data) ? data : {}) as ToolCall;
  return {
    kind: kind === 'approval' ? 'tool' : 'step',
    requesterId: userId,
    approvers: rules?.approvers,
    agentId,
    toolName,
    input,
    data: kind === 'approval' ? undefined : data,
    workflowId,
    executionId: rootExecutionId,
    conversationId,
  };
}

/** @throws HalyardError (`OPERATION_NOT_ALLOWED`) for a person who may not answer the suspension. */
export async function checkResponder(
  {
    execution,
    services,
    suspension,
  }: { readonly services: Services; readonly execution: Execution; readonly suspension: Suspension },
  responder: Responder,
): Promise<void> {
  const { kind, rules, stepId } = suspension;
  // Events have rules of their own, and a suspension from outside asks nobody.
  if (kind === 'event' || kind === 'request') return;
  const request = answerableRequest(execution, suspension);
  if (await services.approvals.mayAnswer(rules, request, responder)) return;
  throw new HalyardError('forbidden', 'OPERATION_NOT_ALLOWED', `Step ${stepId} waits for the answer of others`);
}

/** Adds the decision of a person where several must approve. */
export async function decideSuspension(
  {
    root,
    services,
    suspension,
  }: { readonly services: Services; readonly root: Execution; readonly suspension: Suspension },
  data: JsonValue,
  userId: string | undefined,
  rules: StoredApprovalRules,
): Promise<DecisionOutcome> {
  return services.approvals.decide(
    decisionsKey(root, suspension),
    { userId: userId ?? null, ...toDecision(data), data },
    { rules, userId: root.userId, expiresAt: findExpiry(root, suspension) },
  );
}

/** Records who has answered a suspension, for those who come later. The answer is accepted already. */
export async function recordAnswer(
  { id, userId }: Pick<Execution, 'id' | 'userId'>,
  suspension: Suspension,
  { data, isExpired, resumedBy }: Pick<ResumeRequest, 'data' | 'isExpired' | 'resumedBy'>,
  { approvals }: Services,
): Promise<void> {
  if (!asksPeople(suspension)) return;
  const decision = {
    userId: resumedBy ?? null,
    ...toDecision(data),
    ...(isExpired === true && { expired: isExpired }),
  };
  await approvals.recordDecision(decisionsKey({ id }, suspension), decision, userId);
}

/** By which the decisions about a suspension are stored. @param root around it. */
export function decisionsKey({ id: rootId }: Pick<Execution, 'id'>, { id }: Pick<Suspension, 'id'>): string {
  return `${rootId}/${id}`;
}

/** Resume data with `approved: false` are a denial. */
function toDecision(data: JsonValue): { readonly approved: boolean; readonly reason?: string } {
  const { approved, reason } = isObject(data) ? data : {};
  return { approved: approved !== false, ...(typeof reason === 'string' && { reason }) };
}

interface ToolCall {
  readonly agentId?: string;
  readonly toolName?: string;
  readonly input?: JsonValue;
}

function isObject(value: JsonValue | undefined): value is Readonly<Record<string, JsonValue>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
