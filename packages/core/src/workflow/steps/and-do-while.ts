import { createStep } from '../definition/create-step.ts';
import type { Flow } from '../definition/step-context.ts';
import type { Step, StepOutput } from '../definition/step.ts';
import { acceptMaxIterations, type LoopOptions, runRounds } from './loop.ts';

/**
 * Repeats a step on its own output while the condition is true for that output. The output of the
 * loop is the last one.
 */
export function andDoWhile<In, F extends Flow = Flow, Id extends string = string, Inner extends object = {}>(
  options: LoopOptions<In, F, Id, Inner>,
): Step<In, In, F, Inner & StepOutput<Id, In>> {
  const { condition, step } = options;
  const maxIterations = acceptMaxIterations(options);
  return createStep('andDoWhile', options, {
    steps: [step],
    run: (run, data) => runRounds(run, data, { condition, step, maxIterations, endsOn: false }),
  });
}
