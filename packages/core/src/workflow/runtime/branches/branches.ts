import type { JsonValue } from '@halyard/contracts';
import { bailPath } from '../run/run-workflow.ts';
import type { StepRun } from '../step/step-run.ts';
import { BailSignal, ControlSignal } from './control.ts';
import type { Scope } from './scope.ts';

type Branch = (scope: Scope) => Promise<JsonValue>;

/**
 * Runs branches side by side, `concurrency` at most, and gives what they gave, in their order. The first failure stops the others.
 *
 * A branch that is suspended keeps its place, and the whole waits for it.
 */
export function allBranches(
  run: StepRun,
  branches: readonly Branch[],
  concurrency: number = branches.length,
): Promise<JsonValue[]> {
  const outputs: JsonValue[] = branches.map(() => null);
  let left = branches.length;
  if (left === 0) return Promise.resolve(outputs);
  return together(run, branches, concurrency, (index, output, { finish, next }) => {
    outputs[index] = output;
    left -= 1;
    if (left === 0) finish(outputs);
    else next();
  });
}

/**
 * Runs branches side by side until one succeeds: the others are stopped, and what they have waited for is forgotten.
 *
 * @throws the failure of the last one, when all failed.
 */
export function firstBranch(run: StepRun, branches: readonly Branch[]): Promise<JsonValue> {
  let left = branches.length;
  return together<JsonValue>(
    run,
    branches,
    branches.length,
    (_index, output, { finish }) => finish(output),
    (error, { fail, next }) => {
      left -= 1;
      if (left === 0 || error instanceof ControlSignal) fail(error);
      else next();
    },
  );
}

/**
 * Runs a branch, and stops it after a while, unless all in it waits by then: the limit begins anew in that case.
 *
 * @param tooLong says what the whole fails with.
 */
export function limitedBranch(run: StepRun, branch: Branch, limitMs: number, tooLong: () => Error): Promise<JsonValue> {
  return together<JsonValue>(
    run,
    [branch],
    1,
    (_index, output, { finish }) => finish(output),
    (error, { fail }) => fail(error),
    (group, { fail }) => {
      const stop = run.executionRun.limits.add(limitMs, () => {
        if (group.isClosed) stop();
        else if (!group.isQuiet) fail(tooLong());
      });
    },
  );
}

interface Group<Result> {
  /** The whole goes on with this; what still runs is stopped. */
  readonly finish: (result: Result) => void;
  readonly fail: (error: unknown) => void;
  /** This branch is over, another may begin. */
  readonly next: () => void;
}

/** The strand of the step waits while its branches run, each on a strand and in a scope of its own. */
function together<Result>(
  run: StepRun,
  branches: readonly Branch[],
  concurrency: number,
  onSuccess: (index: number, output: JsonValue, group: Group<Result>) => void,
  onFailure: (error: unknown, group: Group<Result>) => void = (error, { fail }) => fail(error),
  onBegin: (scope: Scope, group: Pick<Group<Result>, 'fail'>) => void = () => {},
): Promise<Result> {
  const { executionRun, execution, path, scope } = run;
  const group = scope.open();
  const { promise, reject, resolve } = Promise.withResolvers<Result>();
  const waiting = branches.entries();
  // A step that bails is recorded before its signal is here: what others came to since then does not count.
  const isOver = (error?: unknown): boolean =>
    group.isClosed || (executionRun.journal.has(bailPath(execution)) && !(error instanceof BailSignal));
  const goOn = (): void => {
    // Before the branches leave: the execution is not quiet in between.
    scope.enter();
    executionRun.closeBelow(path, group);
  };
  const fail = (error: unknown): void => {
    goOn();
    reject(error);
  };
  const begin = (): void => {
    const next = waiting.next();
    if (next.done === true) return;
    const [index, branch] = next.value;
    const own = group.open();
    own.enter();
    const controls: Group<Result> = {
      finish: (result) => {
        goOn();
        resolve(result);
      },
      fail,
      next: () => {
        begin();
        own.leave();
      },
    };
    branch(own).then(
      (output) => {
        if (!isOver()) onSuccess(index, output, controls);
      },
      (error: unknown) => {
        if (!isOver(error)) onFailure(error, controls);
      },
    );
  };

  onBegin(group, { fail });
  for (let begun = 0; begun < concurrency; begun += 1) begin();
  scope.leave();
  return promise;
}
