import {
  answerWorkflowPrefix,
  asksPeople,
  decisionOfResumption,
  type Execution,
  internalWorkflowPrefix,
  requestIdOf,
} from '@halyard/contracts';
import type { InMemoryWebhookStore } from '../in-memory-webhook-store.ts';

type State = Pick<Execution, 'quarantinedAt' | 'status' | 'suspensions'>;

/** Changes a root, and adds the webhooks of the change. */
export function announcing<Result>(
  webhooks: InMemoryWebhookStore | undefined,
  record: Readonly<Execution>,
  change: () => Result,
): Result {
  const { quarantinedAt, status, suspensions } = record;
  const result = change();
  if (webhooks !== undefined) announce(webhooks, { quarantinedAt, status, suspensions }, record);
  return result;
}

function announce(webhooks: InMemoryWebhookStore, before: State, after: Readonly<Execution>): void {
  const { conversationId, id: executionId, resumptions, status, suspensions, userId, workflowId } = after;
  if (workflowId.startsWith(internalWorkflowPrefix)) return;
  const ids = {
    executionId,
    workflowId,
    ...(conversationId !== undefined && { conversationId }),
    ...(userId !== undefined && { userId }),
  };
  for (const one of newRequests(suspensions, before.suspensions))
    webhooks.add('approval.requested', { ...ids, approvalId: requestIdOf(one) });
  for (const one of newRequests(before.suspensions, suspensions)) {
    const answer = resumptions.find(({ path }) => path === one.path);
    const settled =
      answer === undefined
        ? { outcome: 'withdrawn' as const }
        : { outcome: 'answered' as const, ...decisionOfResumption(answer) };
    webhooks.add('approval.settled', { ...ids, approvalId: requestIdOf(one), ...settled });
  }
  if (after.quarantinedAt !== null) {
    if (before.quarantinedAt === null) webhooks.add('execution.quarantined', ids);
    return;
  }
  if (status === before.status || status === 'running') return;
  if (workflowId.startsWith(answerWorkflowPrefix)) {
    const { workflowId: _, ...others } = ids;
    const agentId = workflowId.slice(answerWorkflowPrefix.length);
    if (status !== 'suspended') webhooks.add('answer.finished', { ...others, agentId, outcome: status });
  } else if (status !== 'cancelled') webhooks.add(status === 'error' ? 'execution.failed' : `execution.${status}`, ids);
}

/** The suspensions that ask people and are not among the others. */
function newRequests(suspensions: State['suspensions'], others: State['suspensions']): State['suspensions'] {
  if (suspensions === others) return [];
  return suspensions.filter((one) => asksPeople(one) && !others.some(({ id }) => id === one.id));
}
