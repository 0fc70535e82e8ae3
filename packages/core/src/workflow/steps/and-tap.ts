import { createStep } from '../definition/create-step.ts';
import type { Flow, StepContext } from '../definition/step-context.ts';
import type { BodyOptions, Step, StepOptions } from '../definition/step.ts';
import { runBody } from '../runtime/step/run-body.ts';

export interface TapOptions<In, F extends Flow> extends StepOptions, Omit<BodyOptions, 'output'> {
  /** What it returns is dropped. What it throws is recorded, and the workflow goes on. */
  readonly execute: (context: StepContext<In, F>) => unknown;
}

/** A side effect: data passes through unchanged, whether it succeeds or not. */
export function andTap<In, F extends Flow = Flow>(options: TapOptions<In, F>): Step<In, In, F> {
  const execute = options.execute as (context: StepContext<unknown>) => unknown;
  return createStep('andTap', options, {
    run: async (run, data) => {
      await runBody(run, data, async (context) => {
        await execute(context);
      });
      return data;
    },
    outputOnError: (data) => data,
  });
}
