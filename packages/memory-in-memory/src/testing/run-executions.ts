import type { ExecutionChange, JsonValue, NewExecution } from '@halyard/contracts';
import { expect } from 'vitest';
import { InMemoryExecutionStore, type InMemoryExecutionStoreOptions } from '../executions/in-memory-execution-store.ts';

/** The values of an execution that no test looks at. */
export const executionFields = {
  workflowId: 'order',
  workflowName: 'order',
  input: null,
  context: {},
  metadata: {},
  workflowState: {},
};
/** A step that succeeded. */
export const stepEntry = {
  path: 'a',
  type: 'step',
  status: 'success',
  output: null,
  attempts: 1,
  startedAt: 1,
  endedAt: 2,
} as const;
const lease = { runner: 'a', leaseMs: 10_000 };

export function storeWith(options: InMemoryExecutionStoreOptions): InMemoryExecutionStore {
  return new InMemoryExecutionStore({ now: () => 1_000 }, options);
}

export async function create(
  store: InMemoryExecutionStore,
  id: string,
  values: Partial<NewExecution> = {},
): Promise<void> {
  const execution: NewExecution = {
    id,
    workflowId: 'orders',
    workflowName: 'Orders',
    input: { amount: 1 },
    context: {},
    workflowState: {},
    metadata: {},
    events: [{ type: 'workflow-start', from: 'orders', timestamp: '2026-01-01T00:00:00.000Z' }],
    ...values,
  };
  expect(await store.create(execution, { requestId: id })).toBe('created');
}

export async function finish(
  store: InMemoryExecutionStore,
  id: string,
  { output = null, children = 0 }: { readonly output?: JsonValue; readonly children?: number } = {},
): Promise<void> {
  const created = { workflowId: 'w', workflowName: 'W', input: null, context: {}, workflowState: {}, metadata: {} };
  const begun = Array.from({ length: children }, (_, index): ExecutionChange => ({
    id: `${id}-child-${index}`,
    created: { ...created, parentExecutionId: id, path: `sub:${index}` },
    events: [],
  }));
  await commit(store, id, { changes: [{ id, status: 'completed', output, events: [] }, ...begun] });
}

export async function commit(
  store: InMemoryExecutionStore,
  id: string,
  parts: Partial<Parameters<InMemoryExecutionStore['commit']>[0]>,
): Promise<void> {
  const claimed = await store.claim(id, lease);
  const { creationId = id, epoch = 0, seq = 0 } = claimed?.execution ?? {};
  const outcome = await store.commit({
    executionId: id,
    creationId,
    epoch,
    commitId: `commit-${epoch}`,
    expectedSeq: seq,
    entries: [{ path: 'a', type: 'step', status: 'success', output: null, attempts: 1, startedAt: 1, endedAt: 2 }],
    changes: [],
    settled: [],
    suspensions: [],
    timers: [],
    ...parts,
  });
  expect(outcome.status).toBe('committed');
}
