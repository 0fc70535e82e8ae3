import type { Execution, ExecutionStore, Suspension } from '@halyard/contracts';
import { IdleWait } from '../../../../packages/core/src/workflow/follow/wait-until-idle.ts';
import type { Random } from '../../../../packages/core/src/workflow/testing/random.ts';
import type { Schedule } from './schedule.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import { must } from './violation.ts';

/**
 * Callers that answer, suspend, cancel and wait for executions, each through one of the processes.
 */
export class Callers {
  readonly #random: Random;
  readonly #schedule: Schedule;
  readonly #waiting: { readonly process: SimulatedProcess; isOver: boolean }[] = [];
  readonly #stopWaiting = new AbortController();
  #answers = 0;

  constructor(random: Random, schedule: Schedule) {
    this.#random = random;
    this.#schedule = schedule;
  }

  /** Answers a random suspension, sometimes several times in parallel. */
  answerRandom(rows: readonly Execution[], pickProcess: () => SimulatedProcess): void {
    const waiting = rows.filter(({ suspensions }) => suspensions.length > 0);
    const row = waiting[this.#random.below(waiting.length)];
    const suspension = row?.suspensions[this.#random.below(row.suspensions.length)];
    if (row === undefined || suspension === undefined) return;
    const resumers = this.#random.pick([1, 1, 2, 3]);
    for (let resumer = 0; resumer < resumers; resumer += 1) this.answer(pickProcess(), row, suspension);
  }

  answer({ executor, store }: SimulatedProcess, { id: executionId, workflowId }: Execution, { id }: Suspension): void {
    this.#answers += 1;
    const data = { answer: this.#answers };
    void store
      .resume('anyone', { executionId, suspensionId: id, data, requestId: `answer-${this.#answers}` })
      .then(async (outcome) => {
        if (outcome === 'resumed') await executor.signal({ executionId, workflowId });
      })
      .catch(() => this.#schedule.note('a reply failed'));
  }

  /** Requests that a random execution is suspended or cancelled. */
  requestRandom(rows: readonly Execution[], { executor, store }: SimulatedProcess): void {
    const row = rows[this.#random.below(rows.length)];
    if (row === undefined) return;
    const { id: executionId, workflowId } = row;
    const kind = this.#random.chance(0.8) ? 'suspend' : 'cancel';
    void store
      .request('anyone', executionId, { kind, reason: 'asked' })
      .then(async (outcome) => {
        if (outcome === 'requested') await executor.signal({ executionId, workflowId }, { isUrgent: true });
      })
      .catch(() => this.#schedule.note('a request failed'));
  }

  /** Waits in this process until the execution is idle. */
  wait(process: SimulatedProcess, store: ExecutionStore, executionId: string): void {
    const waiting = { process, isOver: false };
    this.#waiting.push(waiting);
    const { executor } = process;
    const wait = new IdleWait({
      store,
      driver: executor,
      waiters: executor.waiters,
      owner: 'anyone',
      executionId,
      workflows: new Map(),
    });
    void wait.result({ signal: this.#stopWaiting.signal }).then(() => {
      waiting.isOver = true;
      wait.stop();
    });
  }

  /** Checks that all waits have ended, except in processes that crashed. @throws Violation */
  async checkWaiting(): Promise<void> {
    await this.#schedule.settled();
    for (const { isOver, process } of this.#waiting)
      must(isOver || process.hasEnded, () => `a caller still waits in ${process.name}`);
    this.#stopWaiting.abort();
    await this.#schedule.settled();
  }
}
