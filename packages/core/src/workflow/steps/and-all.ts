import { checkStepOptions } from '../definition/check-step-options.ts';
import { createStep } from '../definition/create-step.ts';
import type { Flow } from '../definition/step-context.ts';
import type { AnyStep, NotAStep, OutputsInside, Step, StepOptions, StepOutput } from '../definition/step.ts';
import { allBranches } from '../interpreter/branches/branches.ts';

export interface AllOptions<
  Steps extends readonly AnyStep[],
  Id extends string = string,
  Keep extends boolean = false,
> extends StepOptions<Id> {
  readonly steps: Steps;
  /**
   * Whether the output also contains the data: `{ data, results }`. Default: the output is the list
   * of results.
   */
  readonly keepData?: Keep | undefined;
}

/** The results of all steps, and the data if the step keeps it. */
export type AllOutput<In, Steps extends readonly AnyStep[], Keep extends boolean> = Keep extends true
  ? { data: In; results: OutputsOf<Steps> }
  : OutputsOf<Steps>;

/** The outputs of several steps, in order. */
export type OutputsOf<Steps extends readonly AnyStep[]> = { -readonly [Index in keyof Steps]: OutputOf<Steps[Index]> };

type OutputOf<S> = S extends Step<never, infer Out, never> ? Out : never;

/**
 * Runs steps in parallel, each with the same data. The output is the list of their outputs. The
 * first failure stops the others.
 */
export function andAll<
  In,
  const Steps extends readonly Step<In, unknown, F>[],
  F extends Flow = Flow,
  Id extends string = string,
  Keep extends boolean = false,
>(
  options: AllOptions<Steps & readonly Step<In, unknown, F>[], Id, Keep> & NotAStep,
): Step<In, AllOutput<In, Steps, Keep>, F, OutputsInside<Steps> & StepOutput<Id, AllOutput<In, Steps, Keep>>> {
  checkStepOptions('andAll', options);
  const steps: readonly Step<In, unknown, F>[] = [...options.steps];
  return createStep('andAll', options, {
    steps,
    run: async (run, data) => {
      const results = await allBranches(
        run,
        steps.map((step) => (scope) => run.inner(step, data, { scope })),
      );
      return options.keepData === true ? { data, results } : results;
    },
  });
}
