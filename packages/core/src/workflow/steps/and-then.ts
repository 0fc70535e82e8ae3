import type { Jsonify } from '../../json/jsonify.ts';
import { createStep } from '../definition/create-step.ts';
import type { Flow, StepContext } from '../definition/step-context.ts';
import type { BodyOptions, CompensateOption, Step, StepOptions } from '../definition/step.ts';
import { runBody } from '../interpreter/step/run-body.ts';

export interface ThenOptions<In, Out, F extends Flow>
  extends StepOptions, BodyOptions, CompensateOption<Jsonify<Out>, F> {
  /** The body. Returns the output, which is converted to JSON. Runs at least once and is recorded once. */
  readonly execute: (context: StepContext<In, F>) => Out | Promise<Out>;
}

/** Runs a function of the data. Its return value is the output. */
export function andThen<In, Out, F extends Flow = Flow>(options: ThenOptions<In, Out, F>): Step<In, Jsonify<Out>, F> {
  const execute = options.execute as (context: StepContext<unknown>) => unknown;
  const { compensate } = options as CompensateOption<unknown, Flow>;
  return createStep('andThen', options, {
    run: (run, data) => runBody(run, data, execute),
    ...(compensate !== undefined && { compensate }),
  });
}
