import { InvalidInputError, type JsonValue } from '@halyard/contracts';
import type { Decision } from '../../definition/place.ts';
import type { DataContext, Flow } from '../../definition/step-context.ts';
import { ScopeClosedSignal } from '../branches/control-signals.ts';
import { Attempt } from './attempt.ts';
import type { StepRun } from './step-run.ts';

/**
 * Asks the author's code for a yes or no, such as a condition. The result is recorded: the code is
 * called once.
 *
 * @throws the errors of the code.
 */
export async function decideOn<In, F extends Flow>(
  run: StepRun,
  name: Decision,
  data: JsonValue,
  ask: (context: DataContext<In, F>) => boolean | Promise<boolean>,
): Promise<boolean> {
  return run.decide(name, async () => Boolean(await askAuthor<In, F, unknown>(run, data, ask)));
}

/** Calls a function of the author that reads the data and has no effect on the execution. */
export async function askAuthor<In, F extends Flow, Answer>(
  run: StepRun,
  data: JsonValue,
  ask: (context: DataContext<In, F>) => Answer | Promise<Answer>,
): Promise<Answer> {
  const attempt = new Attempt(run, data, { canBeInterrupted: false });
  // The chain was built with these types.
  const outcome = await attempt.call(ask as (context: DataContext<unknown>) => unknown, undefined);
  if (run.scope.isClosed) throw new ScopeClosedSignal();
  if (outcome.kind === 'value') return outcome.value as Answer;
  throw outcome.kind === 'error'
    ? outcome.error
    : new InvalidInputError('only the body of a step can suspend, bail or abort');
}
