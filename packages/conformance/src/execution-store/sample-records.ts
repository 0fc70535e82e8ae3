import type {
  ExecutionChange,
  ExecutionFilter,
  JournalEntry,
  JsonValue,
  NewExecution,
  NewExecutionEvent,
  Suspension,
} from '@halyard/contracts';

/** The workflows of the sample executions. */
export const orders: readonly string[] = ['orders'];

/** A filter for all roots, 50 at most. */
export const everyRoot: ExecutionFilter = { parentExecutionId: null, limit: 50, offset: 0 };

export function sampleExecution(id: string, values: Partial<NewExecution> = {}): NewExecution {
  return {
    id,
    workflowId: 'orders',
    workflowName: 'Orders',
    input: { amount: 3 },
    context: { region: 'eu' },
    workflowState: {},
    metadata: {},
    events: [sampleEvent('workflow-start')],
    ...values,
  };
}

/** The initial values of a sub-workflow. */
export function sampleChild(
  parentExecutionId: string,
  path: string,
  values: Partial<NewExecution> = {},
): NonNullable<ExecutionChange['created']> {
  const { id: _id, events: _events, ...created } = sampleExecution('', values);
  return { ...created, parentExecutionId, path };
}

export function sampleEvent(type: string, from = 'orders', output: JsonValue = null): NewExecutionEvent {
  return { type, from, timestamp: '2026-01-01T00:00:00.000Z', output };
}

export function sampleEntry(path: string, output: JsonValue = { done: path }): JournalEntry {
  return { path, type: 'step', status: 'success', output, attempts: 1, startedAt: 1_000, endedAt: 2_000 };
}

export function sampleSuspension(id: string, path: string, values: Partial<Suspension> = {}): Suspension {
  return {
    id,
    path,
    stepId: path.split('/').at(-1) ?? path,
    stepIndex: 0,
    executionId: 'run',
    kind: 'step',
    reason: 'waits for a yes',
    suspendedAt: 1_000,
    ...values,
  };
}
