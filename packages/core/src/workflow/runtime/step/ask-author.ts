import { InvalidInputError, type JsonValue } from '@halyard/contracts';
import type { DataContext, Flow } from '../../definition/step-context.ts';
import { ScopeClosedSignal } from '../branches/control.ts';
import { Attempt } from './attempt.ts';
import type { StepRun } from './step-run.ts';

/**
 * Asks the author's code for a decision, such as a condition: once, and recorded.
 *
 * @throws what the code throws.
 */
export async function decideOn<In, F extends Flow>(
  run: StepRun,
  name: string,
  data: JsonValue,
  ask: (context: DataContext<In, F>) => boolean | Promise<boolean>,
): Promise<boolean> {
  return run.decide(name, async () => Boolean(await askAuthor<In, F, unknown>(run, data, ask)));
}

/** Calls a function of the author's that sees the data and changes nothing. */
export async function askAuthor<In, F extends Flow, Answer>(
  run: StepRun,
  data: JsonValue,
  ask: (context: DataContext<In, F>) => Answer | Promise<Answer>,
): Promise<Answer> {
  // The types of the author's code are those that the chain was built with.
  const attempt = new Attempt(run, data, { canHalt: false });
  const outcome = await attempt.call(ask as (context: DataContext<unknown>) => unknown, undefined);
  if (run.scope.isClosed) throw new ScopeClosedSignal();
  if (outcome.kind === 'value') return outcome.value as Answer;
  throw outcome.kind === 'error' ? outcome.error : new InvalidInputError('only the body of a step can leave it');
}
