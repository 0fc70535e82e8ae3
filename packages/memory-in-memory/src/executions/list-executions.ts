import type { Execution, ExecutionFilter, JsonValue, Owner } from '@halyard/contracts';
import type { Link, LinkedList } from '../conversations/linked-list.ts';
import { executionRecord } from './execution-record.ts';
import type { ExecutionTable } from './execution-table.ts';
import { jsonHas } from './json-has.ts';
import type { StoredChild, StoredRoot } from './stored-execution.ts';

type Stored = StoredRoot | StoredChild;

/** A page of what matches, newest first, and how many match in all. */
export function listExecutions(
  table: ExecutionTable,
  owner: Owner,
  filter: ExecutionFilter,
): { readonly executions: readonly Execution[]; readonly total: number } {
  const userId = owner === 'anyone' ? filter.userId : owner.user;
  if (filter.userId !== undefined && filter.userId !== userId) return { executions: [], total: 0 };

  const candidates = candidatesFor(table, filter, userId);
  if (candidates === undefined) return { executions: [], total: 0 };
  const allMatch = matchesAll(filter, userId);
  const metadata = Object.entries(filter.metadata ?? {});
  const end = filter.offset + filter.limit;
  const executions: Execution[] = [];
  let total = 0;
  let link: Link<Stored> | undefined = candidates.newest;
  while (link !== undefined && !(allMatch && total >= end)) {
    const stored: Stored = link.value;
    link = link.older;
    if (!allMatch && !matches(stored, filter, userId, metadata)) continue;
    if (total >= filter.offset && total < end) executions.push(executionRecord(stored));
    total += 1;
  }
  return { executions, total: allMatch ? candidates.size : total };
}

function candidatesFor(
  table: ExecutionTable,
  filter: ExecutionFilter,
  userId: string | undefined,
): LinkedList<StoredRoot> | LinkedList<StoredChild> | undefined {
  if (filter.parentExecutionId !== null) return table.get(filter.parentExecutionId)?.children;
  return table.rootsOf(filter.workflowId, userId);
}

/** Whether the list itself is the answer, so that what is not on the page need not be looked at. */
function matchesAll(filter: ExecutionFilter, userId: string | undefined): boolean {
  if (filter.status !== undefined || filter.from !== undefined || filter.to !== undefined) return false;
  if (filter.metadata !== undefined) return false;
  if (filter.parentExecutionId !== null) return userId === undefined && filter.workflowId === undefined;
  return filter.workflowId === undefined || userId === undefined;
}

function matches(
  stored: Stored,
  filter: ExecutionFilter,
  userId: string | undefined,
  metadata: readonly (readonly [key: string, value: JsonValue])[],
): boolean {
  if (userId !== undefined && stored.userId !== userId) return false;
  if (filter.workflowId !== undefined && stored.workflowId !== filter.workflowId) return false;
  if (filter.status !== undefined && stored.status !== filter.status) return false;
  if (filter.from !== undefined && stored.createdAt < filter.from) return false;
  if (filter.to !== undefined && stored.createdAt > filter.to) return false;
  return jsonHas(stored.metadata, metadata);
}
