import { checkStepOptions } from '../definition/check-step-options.ts';
import { createStep } from '../definition/create-step.ts';
import type { Flow } from '../definition/step-context.ts';
import type { AnyStep, NotAStep, Step, StepOptions } from '../definition/step.ts';
import { allBranches } from '../interpreter/branches/branches.ts';

export interface AllOptions<Steps extends readonly AnyStep[]> extends StepOptions {
  readonly steps: Steps;
}

/** The outputs of several steps, in order. */
export type OutputsOf<Steps extends readonly AnyStep[]> = { -readonly [Index in keyof Steps]: OutputOf<Steps[Index]> };

type OutputOf<S> = S extends Step<never, infer Out, never> ? Out : never;

/** Runs steps in parallel, each with the same data. The output is the list of their outputs. The first failure stops the others. */
export function andAll<In, const Steps extends readonly Step<In, unknown, F>[], F extends Flow = Flow>(
  options: AllOptions<Steps & readonly Step<In, unknown, F>[]> & NotAStep,
): Step<In, OutputsOf<Steps>, F> {
  checkStepOptions('andAll', options);
  const steps: readonly Step<In, unknown, F>[] = [...options.steps];
  return createStep('andAll', options, {
    steps,
    run: (run, data) =>
      allBranches(
        run,
        steps.map((step) => (scope) => run.inner(step, data, { scope })),
      ),
  });
}
