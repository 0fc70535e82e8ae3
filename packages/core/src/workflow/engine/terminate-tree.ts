import type {
  EventBroker,
  Execution,
  ExecutionDriver,
  ExecutionIndex,
  ExecutionLog,
  NewExecutionEvent,
  Owner,
} from '@halyard/contracts';
import type { AgentServices } from '../../agent/agent-services.ts';
import { isOpen } from '../follow/is-idle.ts';
import { CommitDraft } from '../interpreter/commits/commit-draft.ts';
import { writeEnding } from '../interpreter/run/ending.ts';
import { startedBy } from '../interpreter/step/start-execution.ts';
import { publishEnd } from './driver/publish-end.ts';

const pageSize = 100;

export interface TerminateDependencies {
  readonly store: ExecutionLog & ExecutionIndex & EventBroker;
  readonly services: AgentServices;
  readonly driver: Pick<ExecutionDriver, 'canRun' | 'signal'>;
}

/**
 * Ends a root and its sub-workflows at once, with the events of a cancellation. No step runs, and
 * no compensation.
 */
export async function terminateTree(
  { driver, services, store }: TerminateDependencies,
  owner: Owner,
  root: Execution,
  reason: string,
): Promise<void> {
  const now = services.clock.now();
  const events: Record<string, readonly NewExecutionEvent[]> = {};
  for await (const execution of openTree(store, owner, root)) {
    const draft = new CommitDraft();
    writeEnding(execution, { status: 'cancelled', reason }, draft, now);
    events[execution.id] = draft.change(execution.id).events;
  }
  const outcome = await store.terminate(owner, root.id, events);
  if (outcome === 'terminated' && startedBy in root.metadata)
    await publishEnd(root.id, { store, services, signal: (job) => driver.signal(job) });
}

/** The root of an execution, which may be the same. */
export async function findRoot(store: Pick<ExecutionLog, 'find'>, execution: Execution): Promise<Execution> {
  const { id, rootExecutionId } = execution;
  return (rootExecutionId !== id && (await store.find('anyone', rootExecutionId))) || execution;
}

/** The execution and its open sub-workflows, at any depth. */
async function* openTree(
  store: Pick<ExecutionIndex, 'list'>,
  owner: Owner,
  execution: Execution,
): AsyncIterable<Execution> {
  yield execution;
  const filter = { parentExecutionId: execution.id, limit: pageSize, offset: 0, maxTotal: 0 };
  for (let page = await store.list(owner, filter); ;) {
    for (const child of page.executions) if (isOpen(child)) yield* openTree(store, owner, child);
    const last = page.executions.at(-1);
    if (!page.hasMore || last === undefined) return;
    page = await store.list(owner, { ...filter, after: last.id });
  }
}
