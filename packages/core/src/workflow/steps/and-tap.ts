import { createStep } from '../definition/create-step.ts';
import type { Flow, StepContext } from '../definition/step-context.ts';
import type { BodyOptions, Step, StepOptions } from '../definition/step.ts';
import { runBody } from '../interpreter/step/run-body.ts';

export interface TapOptions<In, F extends Flow> extends StepOptions, Omit<BodyOptions, 'output'> {
  /** Its return value is ignored. If it throws, the error is recorded and the workflow continues. */
  readonly execute: (context: StepContext<In, F>) => unknown;
}

/** Runs a side effect. The output is the data, whether the body succeeds or fails. */
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
