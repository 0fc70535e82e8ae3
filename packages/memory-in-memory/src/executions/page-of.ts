import {
  defaultMaxTotal,
  type Execution,
  type ExecutionFilter,
  type ExecutionPage,
  type Owner,
} from '@halyard/contracts';
import { estimateBytes } from '../estimate-bytes.ts';
import { firstWithin } from '../first-within.ts';
import { matchesFilter } from './matches-filter.ts';

/**
 * A page of those that match, newest first.
 *
 * @param executions those of the `parentExecutionId` of the filter, in the order of creation.
 */
export function pageOf(executions: readonly Execution[], owner: Owner, filter: ExecutionFilter): ExecutionPage {
  const userId = owner === 'anyone' ? filter.userId : owner.user;
  if (filter.userId !== undefined && filter.userId !== userId) return { executions: [], total: 0, hasMore: false };
  const { after, limit, maxBytes = Infinity, maxTotal = defaultMaxTotal, offset, workflowId } = filter;
  const isListed = (one: Execution): boolean =>
    matchesFilter(one, workflowId === undefined ? {} : { workflowId }, userId);
  const end =
    after === undefined ? executions.length : executions.findIndex((one) => one.id === after && isListed(one));
  const found = executions.slice(0, Math.max(0, end)).filter((one) => matchesFilter(one, filter, userId));
  const newest = found.toReversed().slice(offset, offset + limit);
  const page = firstWithin(newest, maxBytes, estimateBytes);
  return {
    executions: page,
    total: Math.min(found.length, maxTotal),
    hasMore: offset + page.length < found.length,
  };
}
