import { createStep } from '../definition/create-step.ts';
import type { DataContext, Flow } from '../definition/step-context.ts';
import type { Step, StepOptions, StepOutput } from '../definition/step.ts';
import { decideOn } from '../interpreter/step/ask-author.ts';

export interface WhenOptions<
  In,
  Out,
  F extends Flow,
  Id extends string = string,
  Inner extends object = {},
> extends StepOptions<Id> {
  /** Called once; the result is recorded. */
  readonly condition: (context: DataContext<In, F>) => boolean | Promise<boolean>;
  readonly step: Step<In, Out, F, Inner>;
}

/**
 * Runs a step if a condition is true. Otherwise the output is the data, and the step counts as
 * skipped.
 */
export function andWhen<In, Out, F extends Flow = Flow, Id extends string = string, Inner extends object = {}>(
  options: WhenOptions<In, Out, F, Id, Inner>,
): Step<In, In | Out, F, Inner & StepOutput<Id, In | Out>> {
  const { step } = options;
  return createStep('andWhen', options, {
    steps: [step],
    run: async (run, data) => {
      const holds = await decideOn(run, 'condition', data, options.condition);
      if (holds) return run.inner(step, data);
      run.status = 'skipped';
      return data;
    },
  });
}
