import type { ExecutionStore } from '@halyard/contracts';
import { orders } from './sample-records.ts';

/** How many executions with these definitions can be claimed now: 9 at most. */
export async function dueCount(store: ExecutionStore, definitions: readonly string[] = orders): Promise<number> {
  return (await store.backlog(definitions, 9)).count;
}

/**
 * Milliseconds until the next execution with one of these definitions is due, if none is due now.
 * Undefined: there is none.
 */
export async function dueInMs(
  store: ExecutionStore,
  definitions: readonly string[] = orders,
): Promise<number | undefined> {
  if ((await dueCount(store, definitions)) > 0) return 0;
  const lease = { runner: 'a runner that only asks', leaseMs: 1 };
  const options = { definitions: Object.fromEntries(definitions.map((name) => [name, name])), limit: 1 };
  return (await store.claimNext(lease, options)).nextDueInMs;
}
