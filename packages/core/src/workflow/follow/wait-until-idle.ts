import { type Execution, type ExecutionDriver, type ExecutionLog, NotFoundError, type Owner } from '@halyard/contracts';
import type { WorkflowDefinition } from '../definition/workflow-definition.ts';
import { type RunResult, runResult } from '../engine/run-result.ts';
import type { WaitOptions } from '../engine/runtime-options.ts';
import { findContinuation } from '../interpreter/step/continue-as-new.ts';
import type { IdleWaiters, LocalOutcome } from './idle-waiters.ts';
import { isIdle, isOpen } from './is-idle.ts';

/**
 * A wait keeps the process alive, also while the execution sleeps for long: the interval of its
 * timer, which does nothing.
 */
const keepAliveMs = 60_000;

export interface IdleWaitOptions {
  readonly store: ExecutionLog;
  readonly driver: Pick<ExecutionDriver, 'isRunning'>;
  readonly waiters: IdleWaiters;
  readonly workflows: ReadonlyMap<string, WorkflowDefinition>;
  readonly owner: Owner;
  readonly executionId: string;
  /** Undefined: it is read with the execution. */
  readonly creationId?: string | undefined;
}

type Until = NonNullable<WaitOptions['until']>;

/** Why a wait continues: an outcome in this process, or the end of the wait. */
type Notification = LocalOutcome | 'end';

/**
 * Waits until an execution is idle, or has ended. This process reports the executions that it runs;
 * otherwise the store notifies of changes.
 *
 * It listens from its creation, and must be stopped.
 */
export class IdleWait {
  readonly #options: IdleWaitOptions;
  readonly #cleanUps: (() => void)[] = [];
  readonly #listeners: (() => void)[] = [];
  /** The execution, or the last one as which it continues. */
  #executionId: string;
  #creationId: string | undefined;
  #pending: Notification | undefined;
  #wake: ((notification: Notification) => void) | undefined;
  #isWatching = false;

  constructor(options: IdleWaitOptions) {
    this.#options = options;
    this.#executionId = options.executionId;
    this.#creationId = options.creationId;
    this.#listen();
  }

  /**
   * @param isLocal whether this process runs the execution, or claims it, and reports it to this
   * wait: its state need not be read first.
   * @returns the state of the execution once it is idle or has ended, or when the wait ends by its
   * timeout or signal.
   * @throws NotFoundError
   */
  async result({ signal, timeoutMs, until = 'idle' }: WaitOptions, isLocal = false): Promise<RunResult> {
    if (timeoutMs !== undefined) this.#endAfter(timeoutMs);
    if (signal !== undefined) this.#endOn(signal);
    if (!isLocal && this.#pending === undefined) {
      if (!this.#options.driver.isRunning(this.#executionId)) this.#watch();
      const execution = await this.#findLast(until);
      if (await this.#isOver(execution, until)) return this.#toResult(execution);
    }
    for (;;) {
      const notification = await this.#next();
      if (typeof notification === 'object' && until === 'idle') return notification;
      // Watched before it is read, so that no change is missed.
      if (notification !== 'end') this.#watch();
      const execution = await this.#findLast(until);
      if (notification === 'end' || (await this.#isOver(execution, until))) return this.#toResult(execution);
    }
  }

  stop(): void {
    for (const cleanUp of [...this.#cleanUps.splice(0), ...this.#listeners.splice(0)]) cleanUp();
  }

  readonly #notify = (notification: Notification): void => {
    const wake = this.#wake;
    this.#wake = undefined;
    if (wake !== undefined) wake(notification);
    // Nothing replaces the end of the wait.
    else if (this.#pending !== 'end') this.#pending = notification;
  };

  #next(): Promise<Notification> {
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending !== undefined) return Promise.resolve(pending);
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #listen(): void {
    const listener = (outcome: LocalOutcome, creationId: string | undefined): void =>
      // The result of another execution that has, or had, the same id.
      this.#notify(creationId === this.#creationId ? outcome : 'elsewhere');
    this.#listeners.push(this.#options.waiters.add(this.#executionId, listener));
  }

  /**
   * From now on changes in the store are noticed as well, whenever this process does not run the
   * execution.
   */
  #watch(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    const { driver, store } = this.#options;
    const executionId = this.#executionId;
    const check = (): void => {
      if (!driver.isRunning(executionId)) this.#notify('elsewhere');
    };
    const keepAlive = setInterval(() => {}, keepAliveMs);
    this.#listeners.push(store.watch(executionId, check), () => clearInterval(keepAlive));
  }

  #endAfter(timeoutMs: number): void {
    const timer = setTimeout(() => this.#notify('end'), timeoutMs);
    this.#cleanUps.push(() => clearTimeout(timer));
  }

  #endOn(signal: AbortSignal): void {
    const onAbort = (): void => this.#notify('end');
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    this.#cleanUps.push(() => signal.removeEventListener('abort', onAbort));
  }

  async #isOver(execution: Execution, until: Until): Promise<boolean> {
    return until === 'ended' ? !isOpen(execution) : isIdle(this.#options.store, execution);
  }

  /** The execution, or the one as which it continues: from now on, the wait is for that one. */
  async #findLast(until: Until): Promise<Execution> {
    const { owner, store } = this.#options;
    for (;;) {
      const execution = await store.find(owner, this.#executionId);
      this.#creationId ??= execution?.creationId;
      if (execution === undefined || execution.creationId !== this.#creationId)
        throw new NotFoundError('execution', this.#executionId);
      const next = until === 'ended' ? await findContinuation(store, owner, execution) : undefined;
      if (next === undefined) return execution;
      for (const stopListening of this.#listeners.splice(0)) stopListening();
      this.#executionId = next.id;
      this.#creationId = next.creationId;
      this.#isWatching = false;
      this.#listen();
      this.#watch();
    }
  }

  #toResult(execution: Execution): RunResult {
    return runResult(execution, this.#options.workflows.get(execution.workflowId));
  }
}
