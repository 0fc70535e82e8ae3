import { ConfigurationError } from '@halyard/contracts';

/** How many executions a process runs, and how many may wait. */
export interface ExecutionQueueOptions {
  /** How many executions run at a time: a whole number from 1. Default: 256. */
  readonly concurrency?: number | undefined;
  /**
   * How many executions of a workflow that one user has started may wait for a slot; further starts
   * of the user are refused. A whole number from 1. Default: 10 000.
   */
  readonly maxWaiting?: number | undefined;
}

/** @throws ConfigurationError for an option out of range. */
export function checkQueueOptions(options: ExecutionQueueOptions): void {
  for (const name of ['concurrency', 'maxWaiting'] as const) {
    const value = options[name];
    if (value === undefined || value === Infinity || (Number.isInteger(value) && value >= 1)) continue;
    throw new ConfigurationError(`The option \`queue.${name}\` must be a whole number from 1, not ${value}`);
  }
}
