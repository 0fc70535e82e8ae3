import { InvalidInputError, NotFoundError, type User } from '@halyard/contracts';
import { allowsAlways, type ApprovalGrant as StoredGrant, findAskingAgent, isoTime } from '@halyard/core/server';
import { Type } from '@sinclair/typebox';
import { covers } from '../../../access/console-roles.ts';
import {
  actorForCaller,
  type Caller,
  limitsOfOperator,
  ownerForCaller,
  responderForCaller,
  subjectForCaller,
} from '../../../access/identity.ts';
import { fieldsOf } from '../../../runtime/audit/audited.ts';
import { defineRoute } from '../../define/define-route.ts';
import type { Services } from '../../services.ts';
import type { AnswerableCall } from './conversation-approvals.ts';
import { type Always, ApprovalGrant, GrantParams } from './schemas.ts';

const dayMs = 24 * 60 * 60 * 1000;
const defaultGrantMs = 30 * dayMs;
const grantsLimit = 200;
/** How many are looked through for a console role that is limited. */
const lookedThrough = 10_000;

type GrantServices = Pick<Services, 'agentServices'>;

const common = { tag: 'Approvals', isScoped: true } as const;
const data = Type.Object({
  grants: Type.Array(ApprovalGrant),
  hasMore: Type.Boolean({ description: 'Whether there are older ones.' }),
});
const revoked = Type.Object({ revoked: Type.Literal(true) });

export const grantRoutes = [
  defineRoute({
    ...common,
    tier: 'console',
    method: 'GET',
    url: '/approvals/grants',
    operationId: 'listApprovalGrants',
    readsList: true,
    summary: 'List the approvals of later calls, newest first, at most 200',
    data,
    handler: ({ caller }, services) => listGrants(caller, services),
  }),
  defineRoute({
    ...common,
    tier: 'user',
    method: 'GET',
    url: '/api/approvals/grants',
    operationId: 'listOwnApprovalGrants',
    readsList: true,
    summary: 'List the approvals of later calls that you gave, or that are for your runs',
    data,
    handler: ({ caller }, services) => listGrants(caller, services),
  }),
  defineRoute({
    ...common,
    tier: 'console',
    role: 'operator',
    method: 'DELETE',
    url: '/approvals/grants/:grantId',
    operationId: 'revokeApprovalGrant',
    summary: 'Revoke an approval of later calls: the next call asks again',
    params: GrantParams,
    failures: [404],
    audit: ({ params }) => revocation(params),
    data: revoked,
    handler: ({ caller, params }, services) => revokeGrant(params.grantId, caller, services),
  }),
  defineRoute({
    ...common,
    tier: 'user',
    method: 'DELETE',
    url: '/api/approvals/grants/:grantId',
    operationId: 'revokeOwnApprovalGrant',
    summary: 'Revoke an approval of later calls that you gave, or that is for your runs',
    params: GrantParams,
    failures: [404],
    audit: ({ params }) => revocation(params),
    data: revoked,
    handler: ({ caller, params }, services) => revokeGrant(params.grantId, caller, services),
  }),
];

function revocation(params: unknown) {
  return { action: 'approval.revoke', target: { approvalId: String(fieldsOf(params)['grantId']) } };
}

async function listGrants(caller: Caller, services: GrantServices) {
  const { grants } = services.agentServices.approvals;
  const owner = ownerForCaller(caller);
  const isNobody = owner === 'anyone' && caller.isOperator !== true;
  const found: StoredGrant[] = [];
  let hasMore = !isNobody;
  for (let offset = 0; hasMore && found.length < grantsLimit && offset < lookedThrough; offset += grantsLimit) {
    const page = await grants.list(owner, grantsLimit + 1, offset);
    found.push(...page.slice(0, grantsLimit).filter((grant) => reaches(caller, grant)));
    hasMore = page.length > grantsLimit;
  }
  return { grants: found.slice(0, grantsLimit).map(describeGrant), hasMore: hasMore || found.length > grantsLimit };
}

async function revokeGrant(id: string, caller: Caller, { agentServices }: GrantServices): Promise<{ revoked: true }> {
  const { grants } = agentServices.approvals;
  const grant = await grants.find(id);
  if (grant === undefined || !reaches(caller, grant) || !(await grants.revoke(grant)))
    throw new NotFoundError('approval', id);
  return { revoked: true };
}

/** A grant is for the user of the runs and for the person who gave it. Operators reach what they cover. */
function reaches(caller: Caller, { agentId, grantedBy, user, userId }: StoredGrant): boolean {
  const subject = subjectForCaller(caller);
  if (subject !== undefined) return subject === userId || subject === grantedBy;
  const limits = limitsOfOperator(caller);
  if (limits !== undefined) return covers(limits, { kind: 'agent', id: agentId, startedBy: user });
  return caller.isOperator === true;
}

export function describeGrant(grant: StoredGrant): ApprovalGrant {
  const { agentId, conversationId = null, createdAt, expiresAt, grantedBy = null, id, toolName, userId = null } = grant;
  return {
    id,
    agentId,
    toolName,
    scope: conversationId === null ? 'tool' : 'conversation',
    conversationId,
    userId,
    grantedBy,
    createdAt: isoTime(createdAt),
    expiresAt: isoTime(expiresAt),
  };
}

/** A call whose approval is for later calls, too. */
export interface GrantedCall {
  readonly approvalId: string;
  readonly agentId: string;
  readonly toolName: string;
  readonly conversationId: string | undefined;
  readonly userId: string | undefined;
  /** The verified user of the run. */
  readonly user: User | undefined;
}

/** A call as a grant names it. @param user the verified user of the run. */
export async function grantedCall(
  { agent, conversation, signed: { approvalId }, toolName, userId }: AnswerableCall,
  user: User | undefined,
  { agentServices }: GrantServices,
): Promise<GrantedCall> {
  const agentId = (await findAskingAgent(approvalId, agentServices.approvals)) ?? agent.id;
  return { approvalId, agentId, toolName, userId, user, conversationId: conversation.id };
}

type NewGrant = Omit<StoredGrant, 'createdAt' | 'id'>;

/** The grant of a response with `always`. @throws InvalidInputError */
export function toGrant(
  { expiryMs = defaultGrantMs, scope }: Always,
  { approvalId, conversationId, userId, ...call }: GrantedCall,
  caller: Caller,
  { agentServices: { clock } }: GrantServices,
): NewGrant {
  if (!allowsAlways(approvalId))
    throw new InvalidInputError(`body/always is not accepted: each call of "${call.toolName}" must be approved`);
  if (scope === 'conversation' && conversationId === undefined)
    throw new InvalidInputError('body/always/scope "conversation" is not accepted: the run has no conversation');
  if (scope === 'tool' && userId === undefined)
    throw new InvalidInputError('body/always/scope "tool" is not accepted: the run has no user');
  const limits = limitsOfOperator(caller);
  if (limits !== undefined && !covers(limits, { kind: 'agent', id: call.agentId, startedBy: call.user }))
    throw new InvalidInputError('body/always is not accepted: your console role is not for the agent that asks');
  return {
    ...call,
    userId,
    conversationId: scope === 'conversation' ? conversationId : undefined,
    grantedBy: actorForCaller(caller),
    granter: responderForCaller(caller),
    expiresAt: clock.now() + expiryMs,
  };
}

/**
 * Accepts a response, and stores its grant: not before, because a process that ends in between must
 * leave no grant of a response that was not accepted. Without it, the next call asks again.
 */
export async function acceptWithGrant(
  grant: NewGrant | undefined,
  { agentServices: { approvals, logger } }: GrantServices,
  accept: () => Promise<unknown>,
): Promise<void> {
  await accept();
  if (grant === undefined) return;
  try {
    await approvals.grants.add(grant);
  } catch (error) {
    logger.error({ err: error, agent: grant.agentId, tool: grant.toolName }, 'a grant could not be stored');
  }
}
