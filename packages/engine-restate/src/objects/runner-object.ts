import { randomUUID } from 'node:crypto';
import type { ObjectContext } from '@restatedev/restate-sdk';
import type { Deliveries } from '../deliveries.ts';
import { fromKey } from './object-key.ts';
import type { InputsOf, RunnerHandlers } from './protocol.ts';

type Inputs = InputsOf<RunnerHandlers>;

/** Lets an execution run in this process until it is released. */
export class RunnerObject {
  readonly #deliveries: Deliveries;

  constructor(deliveries: Deliveries) {
    this.#deliveries = deliveries;
  }

  async run(ctx: ObjectContext, { ticket, workflowId }: Inputs['run']): Promise<void> {
    await this.#deliveries.run({
      job: { executionId: fromKey(ctx.key), workflowId },
      delivery: { ticket, attempt: await numberOfAttempt(ctx) },
      signal: ctx.request().attemptCompletedSignal,
      nextAwakeable: () => ctx.awakeable<null>(),
    });
  }
}

/**
 * Each attempt records one random value. Restate accepts it from the attempt that it last began
 * only, so an earlier one whose process was paused never gets a higher number.
 */
async function numberOfAttempt(ctx: ObjectContext): Promise<number> {
  const own = randomUUID();
  let attempt = 1;
  while ((await ctx.run('attempt', () => own)) !== own) attempt += 1;
  return attempt;
}
