import { InvalidInputError } from '@halyard/contracts';
import { createStep } from '../definition/create-step.ts';
import type { DataContext, Flow } from '../definition/step-context.ts';
import type { Step, StepOptions, StepOutput } from '../definition/step.ts';
import { askAuthor } from '../interpreter/step/ask-author.ts';
import { type JoinedExecution, joinExecutions } from '../interpreter/step/join-executions.ts';
import type { StartedExecution } from './and-start.ts';

/** Executions that a step started: their ids, or the outputs of `andStart`. */
export type ExecutionsToJoin = StartedExecution | string | readonly (StartedExecution | string)[];

export interface JoinOptions<In, F extends Flow, Id extends string = string> extends StepOptions<Id> {
  /** Returns the executions to wait for. Called once. Default: the data. */
  readonly executions?: ((context: DataContext<In, F>) => ExecutionsToJoin | Promise<ExecutionsToJoin>) | undefined;
}

/**
 * Waits until executions have ended that `andStart` started, without a process. The output is how
 * each of them ended, in the same order; a failure does not fail this step. Executions of another
 * user count as deleted, unless a step of this execution started them.
 */
export function andJoin<In, F extends Flow = Flow, Id extends string = string>(
  options: JoinOptions<In, F, Id>,
): Step<In, readonly JoinedExecution[], F, StepOutput<Id, readonly JoinedExecution[]>> {
  const { executions } = options;
  return createStep('andJoin', options, {
    run: async (run, data) => {
      const ids = await run.decide('executions', async () =>
        toIds(executions === undefined ? data : await askAuthor(run, data, executions)),
      );
      return joinExecutions(run, ids);
    },
  });
}

/** @throws InvalidInputError */
function toIds(executions: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(executions) ? executions : [executions];
  return list.map((one) => {
    const id = typeof one === 'object' && one !== null && 'executionId' in one ? one.executionId : one;
    if (typeof id !== 'string')
      throw new InvalidInputError('executions must be ids of executions, or outputs of andStart');
    return id;
  });
}
