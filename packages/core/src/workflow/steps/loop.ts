import { ConfigurationError, HalyardError, type JsonValue } from '@halyard/contracts';
import type { DataContext, Flow } from '../definition/step-context.ts';
import type { Step, StepOptions } from '../definition/step.ts';
import { decideOn } from '../interpreter/step/ask-author.ts';
import type { StepRun } from '../interpreter/step/step-run.ts';

const defaultMaxIterations = 1_000;

export interface LoopOptions<
  In,
  F extends Flow,
  Id extends string = string,
  Inner extends object = {},
> extends StepOptions<Id> {
  /**
   * The output of one iteration is the data of the next. Its instances are `<id>:0`, `<id>:1`, ….
   */
  readonly step: Step<In, In, F, Inner>;
  /** Called after each iteration, with its output as `data`; the result is recorded. */
  readonly condition: (context: DataContext<In, F>) => boolean | Promise<boolean>;
  /** After this many iterations the step fails; default 1 000. */
  readonly maxIterations?: number | undefined;
}

/** @throws ConfigurationError */
export function acceptMaxIterations({
  id,
  maxIterations = defaultMaxIterations,
}: {
  readonly id: string;
  readonly maxIterations?: number;
}): number {
  if (Number.isInteger(maxIterations) && maxIterations >= 1) return maxIterations;
  throw new ConfigurationError(`maxIterations of step "${id}" must be an integer of 1 or more`);
}

/**
 * Runs rounds until the condition returns `endsOn`. The first one may be that of a checkpoint, and
 * is then recorded.
 *
 * @throws HalyardError (`TOO_MANY_ITERATIONS`)
 */
export async function runRounds<In, F extends Flow>(
  run: StepRun,
  data: JsonValue,
  {
    condition,
    endsOn,
    maxIterations,
    step,
  }: Required<Pick<LoopOptions<In, F>, 'condition' | 'maxIterations' | 'step'>> & { readonly endsOn: boolean },
): Promise<JsonValue> {
  let output = data;
  for (let item = run.executionRun.rounds.first(run.path); ; item += 1) {
    if (item >= maxIterations)
      throw new HalyardError(
        'failed',
        'TOO_MANY_ITERATIONS',
        `the loop has not ended after ${maxIterations} iterations`,
      );
    output = await run.inner(step, output, { item });
    if ((await decideOn(run, `condition-${item}`, output, condition)) === endsOn) return output;
  }
}
