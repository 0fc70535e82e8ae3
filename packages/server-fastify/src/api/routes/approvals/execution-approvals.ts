import {
  approverKeysOfUser,
  type Execution,
  type ExecutionFilter,
  type JsonValue,
  NotFoundError,
  requestIdOf,
  type Suspension,
} from '@halyard/contracts';
import {
  allowsAlways,
  answerableRequest,
  decisionsKey,
  resumeSchemaForExecution,
  findExpiry,
  isoTime,
  toApprovalRef,
  type WorkflowDefinition,
} from '@halyard/core/server';
import {
  type Caller,
  ownerForCaller,
  limitsOfOperator,
  responderForCaller,
  subjectForCaller,
} from '../../../access/identity.ts';
import type { Services } from '../../services.ts';
import { coveredPage } from '../executions/covered-executions.ts';
import { isHidden } from '../executions/hidden-executions.ts';
import type { GrantedCall } from './grants.ts';
import type { Approval } from './schemas.ts';

/** How many suspended executions are looked through. */
const executionsLimit = 200;

/** The requests of suspended executions that the caller may answer, without waits for events. */
export async function executionApprovals(
  services: Services,
  caller: Caller,
): Promise<{
  readonly approvals: readonly Approval[];
  readonly decisionsKeys: ReadonlyMap<Approval, string>;
  readonly hasMore: boolean;
}> {
  const { limits, storage, targets } = services;
  const page = { parentExecutionId: null, limit: executionsLimit, offset: 0, maxBytes: limits.pageBytes, maxTotal: 0 };
  const owner = ownerForCaller(caller);
  const exceptWorkflowIds = [...targets.hiddenWorkflows(caller), ...targets.uncoveredWorkflows(caller)];
  const suspended: ExecutionFilter = { ...page, exceptWorkflowIds, status: 'suspended' };
  const [own, ofOthers] = await Promise.all([
    coveredPage(suspended, caller, services, (filter) => storage.executions.list(owner, filter), executionsLimit),
    caller.user === undefined
      ? nothing
      : storage.executions.list('anyone', { ...page, approverKeys: keysForCaller(caller) }),
  ]);
  const roots = new Map([...ofOthers.executions, ...own.executions].map((root) => [root.id, root]));
  const decisionsKeys = new Map<Approval, string>();
  for (const each of await Promise.all([...roots.values()].map((root) => answerableIn(root, services, caller))))
    for (const { root, suspension } of each)
      decisionsKeys.set(await describeSuspension(root, suspension, services), decisionsKey(root, suspension));
  return { approvals: [...decisionsKeys.keys()], decisionsKeys, hasMore: own.hasMore || ofOthers.hasMore };
}

const nothing = { executions: [], hasMore: false } as const;

function keysForCaller(caller: Caller): readonly string[] {
  const id = subjectForCaller(caller);
  return caller.user === undefined || id === undefined ? [] : approverKeysOfUser(caller.user, id);
}

interface AnswerableSuspension {
  readonly root: Execution;
  readonly suspension: Suspension;
}

async function answerableIn(
  root: Execution,
  services: Services,
  caller: Caller,
): Promise<readonly AnswerableSuspension[]> {
  // The execution of a chat has requests of its conversation.
  if (services.chats.workflows.some(({ id }) => id === root.workflowId)) return [];
  const asking = root.suspensions.filter(({ kind }) => kind !== 'event');
  const may = await Promise.all(asking.map((suspension) => mayAnswerSuspension(root, suspension, services, caller)));
  return asking.filter((_, index) => may[index] === true).map((suspension) => ({ root, suspension }));
}

export async function describeSuspension(
  root: Execution,
  suspension: Suspension,
  { registry, storage, workflows }: Pick<Services, 'registry' | 'storage' | 'workflows'>,
): Promise<Approval> {
  const { executionId } = suspension;
  // The steps of a sub-workflow are those of another definition.
  const execution = executionId === root.id ? root : await storage.executions.find('anyone', executionId);
  const workflow = registry.workflows.find(({ id }) => id === execution?.workflowId);
  const schema = resumeSchemaForExecution(root, workflows.definitionOf(root), suspension);
  return describe(root, suspension, { workflow, schema });
}

/**
 * Whether the caller may still answer: an operator, those whom its rules name, or without rules the
 * user of the execution.
 */
export async function mayAnswerSuspension(
  root: Execution,
  suspension: Suspension,
  services: Pick<Services, 'agentServices' | 'storage' | 'targets'>,
  caller: Caller,
): Promise<boolean> {
  // No process may have ended the wait yet.
  if ((findExpiry(root, suspension) ?? Infinity) <= services.agentServices.clock.now()) return false;
  const { rules } = suspension;
  if (rules === undefined) {
    const owner = ownerForCaller(caller);
    if (owner !== 'anyone' && owner.user !== root.userId) return false;
  }
  if ((rules === undefined || limitsOfOperator(caller) !== undefined) && (await isHidden(root, caller, services)))
    return false;
  const request = answerableRequest(root, suspension);
  return services.agentServices.approvals.mayAnswer(rules, request, responderForCaller(caller));
}

/**
 * @throws NotFoundError if the execution does not wait for it, or not any more, or if the caller may
 * not answer it.
 */
export async function findSuspension(
  { executionId, id }: { readonly executionId: string; readonly id: string },
  services: Pick<Services, 'agentServices' | 'storage' | 'targets'>,
  caller: Caller,
): Promise<{ readonly root: Execution; readonly suspension: Suspension }> {
  const root = await services.storage.executions.find('anyone', executionId);
  const ids = [id, toApprovalRef(id).approvalId];
  const suspension = root?.suspensions.find(
    (each) => each.kind !== 'event' && (ids.includes(each.id) || ids.includes(requestIdOf(each))),
  );
  if (
    root === undefined ||
    suspension === undefined ||
    !(await mayAnswerSuspension(root, suspension, services, caller))
  )
    throw new NotFoundError('approval', id);
  return { root, suspension };
}

function describe(
  root: Execution,
  suspension: Suspension,
  {
    schema,
    workflow,
  }: {
    readonly workflow: WorkflowDefinition | undefined;
    readonly schema: ReturnType<typeof resumeSchemaForExecution>;
  },
): Approval {
  const { data, kind, reason, rules, stepId, suspendedAt } = suspension;
  const step = workflow?.index.get(stepId.split(':', 1)[0] ?? '')?.step;
  const expiresAt = findExpiry(root, suspension);
  const place = {
    id: requestIdOf(suspension),
    reason,
    requestedAt: isoTime(suspendedAt),
    // The server stored the request itself: it expires only if its step has a time limit.
    expiresAt: expiresAt === undefined ? null : isoTime(expiresAt),
    userId: root.userId ?? null,
    approvers: rules?.approvers.slice() ?? null,
    quorum: rules?.quorum ?? 1,
    allowsAlways: allowsAlways(requestIdOf(suspension)),
    conversationId: root.conversationId ?? null,
    workflowId: root.workflowId,
    executionId: root.id,
    stepId,
  };
  if (kind === 'approval') {
    const { agentId, input, toolName } = readFields(data);
    return { ...place, kind: 'tool', agentId: toText(agentId), toolName: toText(toolName), input, resumeSchema: null };
  }
  return {
    ...place,
    kind: kind === 'request' ? 'request' : 'step',
    agentId: step?.agent?.id ?? null,
    toolName: null,
    ...(data !== undefined && { data }),
    resumeSchema: schema?.jsonSchema ?? null,
  };
}

/** A tool call as a grant names it. */
export function suspendedCall(root: Execution, suspension: Suspension): GrantedCall {
  const { agentId, toolName } = readFields(suspension.data);
  return {
    approvalId: requestIdOf(suspension),
    agentId: toText(agentId) ?? '',
    toolName: toText(toolName) ?? '',
    conversationId: root.conversationId,
    userId: root.userId,
    user: root.user,
  };
}

function readFields(data: JsonValue | undefined): Readonly<Record<string, unknown>> {
  return typeof data === 'object' && data !== null ? { ...data } : {};
}

function toText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
