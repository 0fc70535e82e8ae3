import type { ExecutionRecord } from './use-execution-list.ts';

export type Operation = 'cancel' | 'resume' | 'retry' | 'replay';

export const operations: Readonly<
  Record<Operation, { readonly verb: string; readonly name: string; readonly does: string }>
> = {
  cancel: {
    verb: 'Cancel',
    name: 'cancelled',
    does: 'Cancelling ends executions that run or wait. Steps that can be undone are undone.',
  },
  resume: {
    verb: 'Resume',
    name: 'resumed',
    does: 'Resuming answers the earliest wait of each execution, and it continues. Approvals are answered one by one.',
  },
  retry: {
    verb: 'Retry',
    name: 'retried',
    does: 'Retrying continues failed executions from the steps that failed. What succeeded stays.',
  },
  replay: {
    verb: 'Replay',
    name: 'replayed',
    does: 'Replaying starts a new execution for each, at one step. The old ones stay as they are.',
  },
};

/** Why an execution in this state would be skipped. */
export function skipReason(operation: Operation, { status }: Pick<ExecutionRecord, 'status'>): string | undefined {
  if (operation === 'cancel') return status === 'running' || status === 'suspended' ? undefined : 'it has ended';
  if (operation === 'resume') return status === 'suspended' ? undefined : 'it does not wait';
  if (operation === 'retry') return status === 'error' ? undefined : 'it has not failed';
  return undefined;
}

export interface OperationDetails {
  readonly operation: Operation;
  readonly reason?: string;
  readonly stepId?: string;
  readonly resumeData?: unknown;
  readonly inputData?: unknown;
}
