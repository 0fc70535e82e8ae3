import { checkStepOptions } from '../definition/check-step-options.ts';
import { createStep } from '../definition/create-step.ts';
import { childPath } from '../definition/place.ts';
import type { Flow } from '../definition/step-context.ts';
import type { NotAStep, OutputsInside, Step, StepOptions, StepOutput } from '../definition/step.ts';
import { firstBranch } from '../interpreter/branches/branches.ts';
import type { OutputsOf } from './and-all.ts';

export interface RaceOptions<Steps, Id extends string = string> extends StepOptions<Id> {
  readonly steps: Steps;
}

/**
 * Runs steps in parallel, each with the same data. The output is that of the first one to succeed;
 * the signals of the others are then aborted, and their later actions have no effect. The race
 * fails when all steps failed. It waits when all remaining steps are suspended.
 */
export function andRace<
  In,
  const Steps extends readonly Step<In, unknown, F>[],
  F extends Flow = Flow,
  Id extends string = string,
>(
  options: RaceOptions<Steps & readonly Step<In, unknown, F>[], Id> & NotAStep,
): Step<In, OutputsOf<Steps>[number], F, OutputsInside<Steps> & StepOutput<Id, OutputsOf<Steps>[number]>> {
  checkStepOptions('andRace', options);
  const steps: readonly Step<In, unknown, F>[] = [...options.steps];
  return createStep('andRace', options, {
    steps,
    run: async (run, data) => {
      const won = steps
        .map((step) => run.executionRun.journal.get(childPath(run.path, step.id)))
        .find((entry) => entry !== undefined && entry.status !== 'error');
      if (won !== undefined) {
        // The process died after the winner was recorded and before the race was.
        run.executionRun.closeBelow(run.path, run.scope.open());
        return won.output;
      }
      return firstBranch(
        run,
        steps.map((step) => (scope) => run.inner(step, data, { scope })),
      );
    },
  });
}
