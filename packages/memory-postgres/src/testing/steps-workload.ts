import { type ExecutionStore, HalyardError, type Lease, type NewExecution } from '@halyard/contracts';
import { retryWhileUnavailable } from './retry-while-unavailable.ts';

/** The acknowledged writes of an execution, which must be stored. */
export interface Acknowledged {
  readonly id: string;
  /** Paths in the order in which they were recorded. */
  readonly journal: readonly string[];
  readonly isEnded: boolean;
}

const lease: Lease = { runner: 'workload', leaseMs: 600_000 };

/**
 * Runs executions of `steps` steps until `shouldStop` returns true. Calls are retried with the same
 * ids while the storage is unavailable, as a runner does.
 */
export async function runSteps(
  store: ExecutionStore,
  { name, shouldStop, steps }: { readonly name: string; readonly steps: number; readonly shouldStop: () => boolean },
): Promise<readonly Acknowledged[]> {
  const acknowledged: Acknowledged[] = [];
  for (let count = 0; !shouldStop(); count += 1) {
    acknowledged.push(await runOne(store, `${name}-${count}`, steps));
  }
  return acknowledged;
}

async function runOne(store: ExecutionStore, id: string, steps: number): Promise<Acknowledged> {
  const journal: string[] = [];
  await retryWhileUnavailable(() => store.create(executionOf(id), { requestId: id }));
  // When the result of a claim is lost, the execution stays claimed until the lease expires.
  const claimed = await retryWhileUnavailable(() => store.claim(id, lease));
  if (claimed === undefined) return { id, journal, isEnded: false };
  let { seq } = claimed.execution;
  for (let step = 1; step <= steps; step += 1) {
    const path = `step-${step}`;
    const outcome = await retryWhileUnavailable(() =>
      store.commit({
        executionId: id,
        creationId: claimed.execution.creationId,
        epoch: claimed.execution.epoch,
        commitId: path,
        expectedSeq: seq,
        entries: [{ path, type: 'step', status: 'success', output: step, attempts: 1, startedAt: 1, endedAt: 2 }],
        changes: [
          {
            id,
            events: [{ type: 'step-complete', from: path, timestamp: '2026-01-01T00:00:00.000Z' }],
            ...(step === steps && { status: 'completed', output: steps }),
          },
        ],
        settled: [],
        suspensions: [],
        timers: [],
      }),
    );
    if (outcome.status !== 'committed')
      throw new HalyardError('internal', 'INTERNAL', `${id} ${path} is ${outcome.status}`);
    seq = outcome.seq;
    journal.push(path);
  }
  return { id, journal, isEnded: true };
}

function executionOf(id: string): NewExecution {
  return {
    id,
    workflowId: 'workload',
    workflowName: 'Workload',
    input: null,
    context: {},
    workflowState: {},
    metadata: {},
    events: [{ type: 'workflow-start', from: 'workload', timestamp: '2026-01-01T00:00:00.000Z' }],
  };
}
