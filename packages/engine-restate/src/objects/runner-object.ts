import { randomUUID } from 'node:crypto';
import { type ObjectContext, RestatePromise } from '@restatedev/restate-sdk';
import type { Deliveries } from '../deliveries.ts';
import { send } from './calls.ts';
import { fromKey } from './object-key.ts';
import type { InputsOf, RunnerHandlers } from './protocol.ts';

type Inputs = InputsOf<RunnerHandlers>;

/** Lets an execution run in this process until it is released. */
export class RunnerObject {
  readonly #deliveries: Deliveries;

  constructor(deliveries: Deliveries) {
    this.#deliveries = deliveries;
  }

  /**
   * Each attempt records one random value. Restate accepts it from the attempt that it last began
   * only, so an earlier one whose process was paused never gets a higher number.
   *
   * The end is recorded, too: Restate may begin another attempt after the reply of the handler is in
   * the journal, and that attempt must ask for nothing which is not there.
   *
   * An attempt in a process without a free slot ends: one that waited would hold one of Restate's
   * own slots, which the commits of those that run need.
   */
  async run(ctx: ObjectContext, { attempts = 0, ticket, workflowId }: Inputs['run']): Promise<void> {
    const executionId = fromKey(ctx.key);
    const own = { id: randomUUID(), putOffMs: this.#deliveries.isFull ? putOffMs(attempts) : 0 };
    for (let attempt = attempts + 1; ; attempt += 1) {
      const recorded = await ctx.run('attempt', () => own);
      if (recorded.id === null) return;
      if (recorded.putOffMs > 0)
        return send(ctx, 'runner', executionId, 'run', { attempts: attempt, ticket, workflowId }, recorded.putOffMs);
      if (recorded.id !== own.id) continue;
      const signal = ctx.request().attemptCompletedSignal;
      let awakeable = ctx.awakeable<null>();
      const run = this.#deliveries.begin({ executionId, workflowId }, { ticket, attempt }, awakeable.id);
      const ended = ctx.run('attempt', async (): Promise<Attempt> => {
        await run.end(signal);
        return { id: null, putOffMs: 0 };
      });
      // The SDK fails an attempt that waits for two promises at a time, other than in this way.
      while ((await RestatePromise.race([ended, awakeable.promise])) === null) {
        awakeable = ctx.awakeable<null>();
        run.signalled(awakeable.id);
      }
      return;
    }
  }
}

interface Attempt {
  /** Null: the run has ended. */
  readonly id: string | null;
  /** Above 0: the process was full. */
  readonly putOffMs: number;
}

/** Longer each time, and not the same for all. */
function putOffMs(attempts: number): number {
  return Math.round(Math.min(500 * 2 ** attempts, 30_000) * (1 + Math.random()));
}
