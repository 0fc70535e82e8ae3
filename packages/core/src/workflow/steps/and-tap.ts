import { createStep } from '../definition/create-step.ts';
import type { Flow, StepContext } from '../definition/step-context.ts';
import type { AnySchema, BodyContext, BodyOptions, Step, StepOptions, StepOutput } from '../definition/step.ts';
import { runBody } from '../interpreter/step/run-body.ts';

export interface TapOptions<
  In,
  F extends Flow,
  Id extends string = string,
  Input extends AnySchema = undefined,
  Suspend extends AnySchema = undefined,
  Resume extends AnySchema = undefined,
>
  extends StepOptions<Id>, Omit<BodyOptions<Input, undefined, Suspend, Resume>, 'output'> {
  /**
   * Its return value is ignored. If it throws, the error is recorded and the workflow continues.
   */
  readonly execute: (context: BodyContext<In, F, Input, Suspend, Resume>) => unknown;
}

/** Runs a side effect. The output is the data, whether the body succeeds or fails. */
export function andTap<
  In,
  F extends Flow = Flow,
  Id extends string = string,
  Input extends AnySchema = undefined,
  Suspend extends AnySchema = undefined,
  Resume extends AnySchema = undefined,
>(options: TapOptions<In, F, Id, Input, Suspend, Resume>): Step<In, In, F, StepOutput<Id, In>> {
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
