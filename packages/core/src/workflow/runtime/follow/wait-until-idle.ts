import { type Execution, type ExecutionStore, NotFoundError, type Owner } from '@halyard/contracts';
import type { WorkflowDefinition } from '../../definition/workflow-definition.ts';
import type { Executor } from '../claims/executor.ts';
import { type RunResult, runResult } from '../run-result.ts';
import type { WaitOptions } from '../runtime-options.ts';
import type { RestNews } from './idle-waiters.ts';
import { isIdle } from './is-idle.ts';

/** How often the store is asked about an execution that another process runs, which may tell nothing. */
const pollMs = 1_000;

export interface Waited {
  readonly store: ExecutionStore;
  readonly executor: Executor;
  readonly workflows: ReadonlyMap<string, WorkflowDefinition>;
  readonly owner: Owner;
  readonly executionId: string;
}

/**
 * Waits until an execution is at rest: told by this process while it runs here, else by looking at the store. Hears what happens from when it is made; must
 * be stopped.
 */
export class IdleWait {
  readonly #waited: Waited;
  readonly #stops: (() => void)[];
  #heard: RestNews | 'end' | undefined;
  #wake: ((news: RestNews | 'end') => void) | undefined;
  #isLooking = false;

  constructor(waited: Waited) {
    this.#waited = waited;
    this.#stops = [waited.executor.waiters.add(waited.executionId, this.#hear)];
  }

  /**
   * @param fromStart whether all that happened to the execution was heard: it need not be looked at first.
   * @returns where it stands once it is at rest, or when the wait was given up.
   * @throws NotFoundError
   */
  async result({ signal, timeoutMs }: WaitOptions, fromStart = false): Promise<RunResult> {
    if (timeoutMs !== undefined) this.#endAfter(timeoutMs);
    if (signal !== undefined) this.#endOn(signal);
    if (!fromStart) {
      const { executionId, executor, store } = this.#waited;
      if (!executor.isRunning(executionId)) this.#look();
      const execution = await this.#find();
      if (await isIdle(store, execution)) return this.#resultOf(execution);
    }
    for (;;) {
      const news = await this.#next();
      if (typeof news === 'object') return news;
      const execution = await this.#find();
      if (news === 'end' || (await isIdle(this.#waited.store, execution))) return this.#resultOf(execution);
      this.#look();
    }
  }

  stop(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }

  readonly #hear = (news: RestNews | 'end'): void => {
    const wake = this.#wake;
    this.#wake = undefined;
    if (wake !== undefined) wake(news);
    // Who is to wait no longer does not begin again because something happens elsewhere.
    else if (this.#heard !== 'end') this.#heard = news;
  };

  #next(): Promise<RestNews | 'end'> {
    const heard = this.#heard;
    this.#heard = undefined;
    if (heard !== undefined) return Promise.resolve(heard);
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** From now on the store is asked as well, whenever the execution does not run here. */
  #look(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const { executionId, executor, store } = this.#waited;
    const look = (): void => {
      if (!executor.isRunning(executionId)) this.#hear('elsewhere');
    };
    const poll = setInterval(look, pollMs);
    this.#stops.push(store.watch(executionId, look), () => clearInterval(poll));
  }

  #endAfter(timeoutMs: number): void {
    const timer = setTimeout(() => this.#hear('end'), timeoutMs);
    this.#stops.push(() => clearTimeout(timer));
  }

  #endOn(signal: AbortSignal): void {
    const onAbort = (): void => this.#hear('end');
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    this.#stops.push(() => signal.removeEventListener('abort', onAbort));
  }

  async #find(): Promise<Execution> {
    const { executionId, owner, store } = this.#waited;
    const execution = await store.find(owner, executionId);
    if (execution === undefined) throw new NotFoundError('execution', executionId);
    return execution;
  }

  #resultOf(execution: Execution): RunResult {
    return runResult(execution, this.#waited.workflows.get(execution.workflowId));
  }
}
