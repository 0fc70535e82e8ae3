import { randomUUID } from 'node:crypto';
import type { ObjectContext } from '@restatedev/restate-sdk';
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
   * An attempt in a process without a free slot ends: one that waited would hold one of Restate's
   * own slots, which the commits of those that run need.
   */
  async run(ctx: ObjectContext, { attempts = 0, ticket, workflowId }: Inputs['run']): Promise<void> {
    const executionId = fromKey(ctx.key);
    const own = { id: randomUUID(), putOffMs: this.#deliveries.isFull ? putOffMs(attempts) : 0 };
    for (let attempt = attempts + 1; ; attempt += 1) {
      const recorded = await ctx.run('attempt', () => own);
      if (recorded.putOffMs > 0)
        return send(ctx, 'runner', executionId, 'run', { attempts: attempt, ticket, workflowId }, recorded.putOffMs);
      if (recorded.id !== own.id) continue;
      return this.#deliveries.run({
        job: { executionId, workflowId },
        delivery: { ticket, attempt },
        signal: ctx.request().attemptCompletedSignal,
        nextAwakeable: () => ctx.awakeable<null>(),
      });
    }
  }
}

/** Longer each time, and not the same for all. */
function putOffMs(attempts: number): number {
  return Math.round(Math.min(500 * 2 ** attempts, 30_000) * (1 + Math.random()));
}
