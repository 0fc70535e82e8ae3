import { ConfigurationError } from '@halyard/contracts';
import { checkStepOptions } from '../definition/check-step-options.ts';
import { createStep } from '../definition/create-step.ts';
import type { DataContext, Flow } from '../definition/step-context.ts';
import type { OutputsIn, Step, StepOptions, StepOutput } from '../definition/step.ts';
import { allBranches } from '../interpreter/branches/branches.ts';
import { decideOn } from '../interpreter/step/ask-author.ts';

export interface BranchCase<In, Out, F extends Flow> {
  /** Called once; the result is recorded. */
  readonly condition: (context: DataContext<In, F>) => boolean | Promise<boolean>;
  readonly step: Step<In, Out, F>;
}

export interface BranchOptions<Branches, Id extends string = string> extends StepOptions<Id> {
  readonly branches: Branches;
}

/** The output of each branch, null where its condition was false. */
export type BranchOutputs<Branches extends readonly { readonly step: unknown }[]> = {
  -readonly [Index in keyof Branches]: Branches[Index]['step'] extends Step<never, infer Out, never>
    ? Out | null
    : never;
};

/** The outputs of the steps in the branches, by id. */
export type OutputsInBranches<Branches extends readonly { readonly step: unknown }[]> = Branches extends readonly [
  { readonly step: infer First },
  ...infer Rest extends readonly { readonly step: unknown }[],
]
  ? OutputsIn<First> & OutputsInBranches<Rest>
  : {};

/**
 * Runs the steps whose condition is true, in parallel and each with the same data. The output is
 * the list of their outputs in the order of the branches, null where the condition was false. If
 * all are false, the step counts as skipped.
 */
export function andBranch<
  In,
  const Branches extends readonly BranchCase<In, unknown, F>[],
  F extends Flow = Flow,
  Id extends string = string,
>(
  options: BranchOptions<Branches & readonly BranchCase<In, unknown, F>[], Id>,
): Step<In, BranchOutputs<Branches>, F, OutputsInBranches<Branches> & StepOutput<Id, BranchOutputs<Branches>>> {
  checkStepOptions('andBranch', options);
  const branches: readonly BranchCase<In, unknown, F>[] = options.branches;
  if (branches.length === 0) throw new ConfigurationError(`Step "${options.id}" (andBranch) needs at least one branch`);
  return createStep('andBranch', options, {
    steps: branches.map(({ step }) => step),
    run: async (run, data) => {
      const holds: boolean[] = [];
      for (const [index, { condition }] of branches.entries())
        holds.push(await decideOn(run, `condition-${index}`, data, condition));
      if (!holds.includes(true)) run.status = 'skipped';
      return allBranches(
        run,
        branches.map(
          ({ step }, index) =>
            async (scope) =>
              holds[index] === true ? run.inner(step, data, { scope }) : null,
        ),
      );
    },
  });
}
