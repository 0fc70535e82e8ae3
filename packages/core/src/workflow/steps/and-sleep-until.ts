import { InvalidInputError } from '@halyard/contracts';
import { createStep } from '../definition/create-step.ts';
import type { DataContext, Flow } from '../definition/step-context.ts';
import type { Step, StepOptions, StepOutput } from '../definition/step.ts';
import { askAuthor } from '../interpreter/step/ask-author.ts';
import { sleepUntil } from '../interpreter/step/sleep-until.ts';

/** A point in time: a Date, ISO 8601, or milliseconds since the epoch. */
export type Moment = Date | string | number;

export interface SleepUntilOptions<In, F extends Flow, Id extends string = string> extends StepOptions<Id> {
  /**
   * When to continue, or a function that returns it and is called once. A time in the past does not
   * wait.
   */
  readonly date: Moment | ((context: DataContext<In, F>) => Moment | Promise<Moment>);
}

/**
 * Waits until a point in time, across restarts and with nothing in memory. The output is the data.
 */
export function andSleepUntil<In, F extends Flow = Flow, Id extends string = string>(
  options: SleepUntilOptions<In, F, Id>,
): Step<In, In, F, StepOutput<Id, In>> {
  const { date } = options;
  return createStep('andSleepUntil', options, {
    run: async (run, data) => {
      await sleepUntil(run, async () => {
        const wakeAt = new Date(typeof date === 'function' ? await askAuthor(run, data, date) : date).getTime();
        if (Number.isNaN(wakeAt)) throw new InvalidInputError('date must be a point in time');
        return wakeAt;
      });
      return data;
    },
  });
}
