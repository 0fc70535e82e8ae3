import { createStep } from '../definition/create-step.ts';
import type { Flow, StepContext } from '../definition/step-context.ts';
import type {
  AnySchema,
  BodyContext,
  BodyFunction,
  BodyOptions,
  BodyOutput,
  CompensateOption,
  Step,
  StepOptions,
  StepOutput,
} from '../definition/step.ts';
import { runBody } from '../interpreter/step/run-body.ts';

export interface ThenOptions<
  In,
  Out,
  F extends Flow,
  Id extends string = string,
  Input extends AnySchema = undefined,
  Output extends AnySchema = undefined,
  Suspend extends AnySchema = undefined,
  Resume extends AnySchema = undefined,
>
  extends StepOptions<Id>, BodyOptions<Input, Output, Suspend, Resume>, CompensateOption<BodyOutput<Output, Out>, F> {
  /**
   * The body. Returns the output, which is converted to JSON. Runs at least once and is recorded
   * once.
   */
  readonly execute: BodyFunction<BodyContext<In, F, Input, Suspend, Resume>, Output, Out>;
}

/** Runs a function of the data. Its return value is the output. */
export function andThen<
  In,
  Out,
  F extends Flow = Flow,
  Id extends string = string,
  Input extends AnySchema = undefined,
  Output extends AnySchema = undefined,
  Suspend extends AnySchema = undefined,
  Resume extends AnySchema = undefined,
>(
  options: ThenOptions<In, Out, F, Id, Input, Output, Suspend, Resume>,
): Step<In, BodyOutput<Output, Out>, F, StepOutput<Id, BodyOutput<Output, Out>>> {
  const execute = options.execute as (context: StepContext<unknown>) => unknown;
  const { compensate } = options as CompensateOption<unknown, Flow>;
  return createStep('andThen', options, {
    run: (run, data) => runBody(run, data, execute),
    ...(compensate !== undefined && { compensate }),
  });
}
