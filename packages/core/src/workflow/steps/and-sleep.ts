import { InvalidInputError } from '@halyard/contracts';
import { createStep } from '../definition/create-step.ts';
import type { DataContext, Flow } from '../definition/step-context.ts';
import type { Step, StepOptions, StepOutput } from '../definition/step.ts';
import { askAuthor } from '../interpreter/step/ask-author.ts';
import { sleepUntil } from '../interpreter/step/sleep-until.ts';

export interface SleepOptions<In, F extends Flow, Id extends string = string> extends StepOptions<Id> {
  /** Milliseconds, or a function that returns them and is called once. */
  readonly durationMs: number | ((context: DataContext<In, F>) => number | Promise<number>);
}

/**
 * Waits for a duration, across restarts and with nothing in memory. The output is the data. If the
 * execution is suspended from outside and resumed during the wait, the step still waits until the
 * original time.
 */
export function andSleep<In, F extends Flow = Flow, Id extends string = string>(
  options: SleepOptions<In, F, Id>,
): Step<In, In, F, StepOutput<Id, In>> {
  const { durationMs } = options;
  return createStep('andSleep', options, {
    run: async (run, data) => {
      await sleepUntil(run, async () => {
        const waitMs = typeof durationMs === 'number' ? durationMs : await askAuthor(run, data, durationMs);
        if (!Number.isFinite(waitMs)) throw new InvalidInputError('durationMs must be a number');
        const wakeAt = run.executionRun.latestNow() + Math.max(0, waitMs);
        if (Number.isNaN(new Date(wakeAt).getTime()))
          throw new InvalidInputError('durationMs must end before the year 275760');
        return wakeAt;
      });
      return data;
    },
  });
}
