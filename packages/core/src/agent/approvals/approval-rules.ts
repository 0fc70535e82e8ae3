import {
  type ApprovalRules,
  approverKeys,
  approverKeysOfUser,
  InvalidInputError,
  isExternalId,
  type StoredApprovalRules,
  type User,
  userTenant,
} from '@halyard/contracts';

/** So many people and roles are named at most. */
const maxApprovers = 100;

/** A request as the app sees it when it decides who may answer. */
export interface AnswerableRequest {
  /** `tool`: a call of an agent. `step`: a step of a workflow asks for data. */
  readonly kind: 'tool' | 'step';
  /** The user whose run asks. */
  readonly requesterId: string | undefined;
  /** Those whom the tool or the step names; undefined: the user of the run. */
  readonly approvers: readonly string[] | undefined;
  readonly agentId?: string | undefined;
  readonly toolName?: string | undefined;
  /** The arguments of the tool call. */
  readonly input?: unknown;
  /** The data with which a step was suspended. */
  readonly data?: unknown;
  readonly workflowId?: string | undefined;
  readonly executionId?: string | undefined;
  readonly conversationId?: string | undefined;
}

/**
 * Decides finally whether a verified user may answer a request, which the rules of the request
 * allow. A request that a user may not answer looks unknown to that user.
 */
export type MayAnswer = (question: {
  readonly user: User;
  readonly request: AnswerableRequest;
}) => boolean | Promise<boolean>;

/**
 * The rules as they are stored. @param user the verified user of the run, whose tenant is the
 * default. @throws InvalidInputError
 */
export function acceptApprovalRules(
  { approvers, notRequester = false, quorum = 1, tenantId }: ApprovalRules,
  user: User | undefined,
): StoredApprovalRules {
  if (!isList(approvers) || approvers.length === 0 || approvers.length > maxApprovers)
    throw new InvalidInputError(`\`approvers\` must name 1 to ${maxApprovers} users, roles or tenants`);
  for (const approver of approvers)
    if (
      typeof approver !== 'string' ||
      !isExternalId(approver) ||
      /^(?:role|tenant):$|^(?:roles|tenants):/.test(approver)
    )
      throw new InvalidInputError(
        `\`approvers\` contains ${JSON.stringify(approver)}, which is no id of a user, \`role:<name>\` or \`tenant:<id>\``,
      );
  if (!Number.isSafeInteger(quorum) || quorum < 1)
    throw new InvalidInputError('`quorum` must be a whole number of at least 1');
  const tenant = tenantId === undefined ? userTenant(user ?? {}) : tenantId;
  if (tenant !== null && (typeof tenant !== 'string' || tenant === ''))
    throw new InvalidInputError(
      tenantId === undefined
        ? 'The claim `tenantId` of the user must be a text or a whole number'
        : '`tenantId` must be a text that is not empty, or null',
    );
  return {
    approvers: approvers.slice(),
    ...(notRequester && { notRequester: true }),
    ...(quorum > 1 && { quorum }),
    tenantId: tenant,
  };
}

/** Whether the rules allow a verified user to respond. @param requesterId the user of the run. */
export function isApprover(rules: StoredApprovalRules, user: User, requesterId: string | undefined): boolean {
  const id = user.id ?? user.sub;
  if (id === undefined || !isExternalId(id) || refusesRequester(rules, user, requesterId)) return false;
  const keys = approverKeysOfUser(user, id);
  return approverKeys(rules).some((key) => keys.includes(key));
}

/** Whether the user is that of the run, whom the rules refuse. */
export function refusesRequester(
  { notRequester }: StoredApprovalRules,
  { id, sub }: User,
  requesterId: string | undefined,
): boolean {
  return notRequester === true && (id ?? sub) === requesterId;
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}
