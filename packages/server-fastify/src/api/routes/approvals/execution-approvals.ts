import { type Execution, type JsonValue, NotFoundError, type Owner, type Suspension } from '@halyard/contracts';
import {
  resumeSchemaForExecution,
  findExpiry,
  isoTime,
  toApprovalRef,
  type WorkflowDefinition,
} from '@halyard/core/server';
import type { Caller } from '../../../access/identity.ts';
import type { Services } from '../../services.ts';
import { isHidden } from '../executions/hidden-executions.ts';
import type { Approval } from './schemas.ts';

/** How many suspended executions are looked through. */
const executionsLimit = 200;

/** The requests of suspended executions, without waits for events. */
export async function executionApprovals(
  owner: Owner,
  { chats, limits, registry, storage, targets, workflows }: Services,
  caller: Caller,
): Promise<{ readonly approvals: readonly Approval[]; readonly hasMore: boolean }> {
  const { executions, hasMore } = await storage.executions.list(owner, {
    parentExecutionId: null,
    exceptWorkflowIds: targets.hiddenWorkflows(caller),
    status: 'suspended',
    limit: executionsLimit,
    offset: 0,
    maxBytes: limits.pageBytes,
    maxTotal: 0,
  });
  const internal = new Set(chats.workflows.map(({ id }) => id));
  const approvals = await Promise.all(
    executions
      .filter(({ workflowId }) => !internal.has(workflowId))
      .flatMap((root) =>
        root.suspensions
          .filter(({ kind }) => kind !== 'event')
          .map(async (suspension) => {
            const { executionId } = suspension;
            // The steps of a sub-workflow are those of another definition.
            const execution = executionId === root.id ? root : await storage.executions.find(owner, executionId);
            const workflow = registry.workflows.find(({ id }) => id === execution?.workflowId);
            const schema = resumeSchemaForExecution(root, workflows.definitionOf(root), suspension);
            return describe(root, suspension, { workflow, schema });
          }),
      ),
  );
  return { approvals, hasMore };
}

/** A tool call is named by its approval, as in a chat. */
function toId({ data, id, kind }: Suspension): string {
  const { approvalId } = readFields(data);
  return kind === 'approval' && typeof approvalId === 'string' ? approvalId : id;
}

/** @throws NotFoundError if the execution does not wait for it, or not any more. */
export async function findSuspension(
  owner: Owner,
  { executionId, id }: { readonly executionId: string; readonly id: string },
  services: Pick<Services, 'storage' | 'targets'>,
  caller: Caller,
): Promise<{ readonly root: Execution; readonly suspension: Suspension }> {
  const root = await services.storage.executions.find(owner, executionId);
  const ids = [id, toApprovalRef(id).approvalId];
  const suspension = root?.suspensions.find(
    (each) => each.kind !== 'event' && (ids.includes(each.id) || ids.includes(toId(each))),
  );
  if (root === undefined || suspension === undefined || (await isHidden(root, caller, services)))
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
  const { data, kind, reason, stepId, suspendedAt } = suspension;
  const step = workflow?.index.get(stepId.split(':', 1)[0] ?? '')?.step;
  const expiresAt = findExpiry(root, suspension);
  const place = {
    id: toId(suspension),
    reason,
    requestedAt: isoTime(suspendedAt),
    // The server stored the request itself: it expires only if its step has a time limit.
    expiresAt: expiresAt === undefined ? null : isoTime(expiresAt),
    userId: root.userId ?? null,
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

function readFields(data: JsonValue | undefined): Readonly<Record<string, unknown>> {
  return typeof data === 'object' && data !== null ? { ...data } : {};
}

function toText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
