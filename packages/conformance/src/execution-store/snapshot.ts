import type { Execution, ExecutionEvent, ExecutionStore, JournalEntry } from '@halyard/contracts';
import { everyRoot } from './sample-records.ts';

export interface StoreSnapshot {
  readonly execution: Execution | undefined;
  readonly children: readonly Execution[];
  readonly journal: readonly JournalEntry[];
  readonly events: Readonly<Record<string, readonly ExecutionEvent[]>>;
}

/** Everything that a store returns about an execution and its sub-workflows. */
export async function snapshotOf(store: ExecutionStore, id: string): Promise<StoreSnapshot> {
  const { executions: children } = await store.list('anyone', { ...everyRoot, parentExecutionId: id });
  const ids = [id, ...children.map((child) => child.id)];
  const histories = await store.histories('anyone', ids, 1_000);
  return {
    execution: await store.find('anyone', id),
    children,
    journal: await store.journal('anyone', id),
    events: Object.fromEntries(histories),
  };
}
