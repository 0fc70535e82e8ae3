import {
  defaultMaxTotal,
  type Execution,
  type ExecutionFilter,
  type ExecutionPage,
  type Owner,
} from '@halyard/contracts';
import type { Shard } from './shard.ts';

type Conditions = Omit<ExecutionFilter, 'limit' | 'maxBytes' | 'maxTotal' | 'offset'>;

/** An execution, and where it lives. */
interface PlacedExecution {
  readonly execution: Execution;
  readonly shard: Shard;
}

/**
 * A page of the roots of all shards, newest first. Of those created in the same millisecond, the ones of the first shard come first. Each shard may fill its share of the bytes.
 *
 * @param last the execution that `filter.after` names, if it exists.
 */
export async function listRoots(
  shards: readonly Shard[],
  owner: Owner,
  { limit, maxBytes, maxTotal = defaultMaxTotal, offset, ...conditions }: ExecutionFilter,
  last: PlacedExecution | undefined,
): Promise<ExecutionPage> {
  if (conditions.after !== undefined && (last === undefined || !isListed(last.execution, conditions)))
    return { executions: [], total: 0, hasMore: false };
  // Each shard may have all of the page.
  const page = {
    limit: offset + limit,
    offset: 0,
    maxTotal,
    ...(maxBytes !== undefined && { maxBytes: Math.floor(maxBytes / shards.length) }),
  };
  const lists = await Promise.all(
    shards.map((shard, index) => {
      const distance = last === undefined ? 0 : index - shards.indexOf(last.shard);
      const filter = last === undefined || distance === 0 ? conditions : following(conditions, last, distance);
      return shard.ask((store) => store.list(owner, { ...filter, ...page }));
    }),
  );
  const merged = lists
    .flatMap((list) => list.executions)
    // Stable: of those with the same time, it keeps the order of the shards.
    .toSorted((one, other) => other.createdAt - one.createdAt);
  // A list that is not complete may continue right after its last execution.
  const ends = lists.flatMap((list) => (list.hasMore ? (list.executions.at(-1) ?? []) : []));
  const known = Math.min(merged.length, ...ends.map((end) => merged.indexOf(end) + 1));
  const executions = merged.slice(offset, Math.min(known, offset + limit));
  const total = lists.reduce((sum, list) => sum + list.total, 0);
  return {
    executions,
    total: Math.min(total, maxTotal),
    hasMore: ends.length > 0 || offset + executions.length < merged.length,
  };
}

/** The conditions for what follows the last execution on another shard. @param distance how many shards behind that of the last execution. */
function following(
  { after: _after, to = Infinity, ...conditions }: Conditions,
  { execution: { createdAt } }: PlacedExecution,
  distance: number,
): Conditions {
  return { ...conditions, to: Math.min(to, distance > 0 ? createdAt : createdAt - 1) };
}

/** Whether the list has an execution, whatever has changed since it was created. */
function isListed(
  execution: Execution,
  { userId, workflowId }: Pick<ExecutionFilter, 'userId' | 'workflowId'>,
): boolean {
  return (
    execution.parentExecutionId === null &&
    (userId === undefined || execution.userId === userId) &&
    (workflowId === undefined || execution.workflowId === workflowId)
  );
}
