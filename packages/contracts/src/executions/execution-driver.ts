import type { CreateOptions, CreateOutcome } from './execution-log.ts';
import type { NewExecution } from './execution.ts';
import type { Job } from './job.ts';

/**
 * Decides where and when executions run. Nothing outside it assumes leases, polling or an order.
 *
 * In memory and on PostgreSQL, each process claims due executions by `ExecutionLeases`. A
 * distributed engine may do so by other means.
 */
export interface ExecutionDriver {
  /** Begins to run executions, including those that another process has left. */
  start(): void;

  /**
   * Writes a new execution to the log. It runs when it is due.
   *
   * @param onCreated called when it was written, before it runs here.
   */
  create(execution: NewExecution, options: CreateOptions, onCreated?: () => void): Promise<CreateOutcome>;

  /**
   * Resume data or a request was written to the log: the process that runs the execution reads it,
   * else the execution is due. Resolves when a run in this process has read it.
   */
  signal(job: Job, options?: SignalOptions): Promise<void>;

  /**
   * Whether the execution runs in this process. @param creationId default: whichever execution has
   * the id.
   */
  isRunning(executionId: string, creationId?: string): boolean;

  /** Whether this process or another live one has the steps of a definition, as far as is known. */
  canRun(definition: string): Promise<boolean>;

  /** The current work of this process, for metrics. Reads nothing from a store. */
  readonly load: DriverLoad;

  /** Whether {@link close} was called: nothing new starts. */
  readonly isClosing: boolean;

  /**
   * Accepts no more work, lets running steps finish for up to `graceMs`, and leaves the rest to
   * other processes.
   *
   * @param abortMs how long before that the signals of running steps abort. Default: 5 000.
   */
  close(graceMs: number, abortMs?: number): Promise<void>;
}

export interface SignalOptions {
  /** It runs no step, such as a request to stop: it need not wait until others have ended. */
  readonly isUrgent?: boolean | undefined;
}

export interface DriverLoad {
  /** Executions that run in this process. */
  readonly running: number;
  /**
   * Executions that were due when this process last looked, and for which it had no slot: 1 000 at
   * most.
   */
  readonly due: number;
  /** How long the oldest of them has been due, in milliseconds; 0 if there is none. */
  readonly oldestDueMs: number;
}
