import type { JsonValue } from '@halyard/contracts';
import type { StepRun } from '../step/step-run.ts';
import { BailSignal, ControlSignal } from './control-signals.ts';
import type { Scope } from './scope.ts';

type Branch = (scope: Scope) => Promise<JsonValue>;

/**
 * Runs branches in parallel, at most `concurrency` at a time, and returns their outputs in order.
 * The first failure stops the others.
 *
 * A suspended branch keeps its place, and the group waits for it.
 */
export async function allBranches(
  run: StepRun,
  branches: readonly Branch[],
  concurrency: number = branches.length,
): Promise<JsonValue> {
  if (branches.length === 0) return [];
  const outputs: JsonValue[] = branches.map(() => null);
  const queue = branches.entries();
  const group = new BranchGroup(run);
  let unfinished = branches.length;
  const startNext = (): void => {
    const next = queue.next();
    if (next.done === true) return;
    const [index, branch] = next.value;
    group.start(branch, (output) => {
      outputs[index] = output;
      unfinished -= 1;
      if (unfinished === 0) group.finish(outputs);
      else startNext();
    });
  };
  for (let started = 0; started < concurrency; started += 1) startNext();
  return group.result();
}

/**
 * Runs branches in parallel until one succeeds, and returns its output. The others are stopped;
 * their suspensions and timers are deleted.
 *
 * @throws the failure of the last branch when all failed.
 */
export async function firstBranch(run: StepRun, branches: readonly Branch[]): Promise<JsonValue> {
  const group = new BranchGroup(run);
  let unfinished = branches.length;
  for (const branch of branches)
    group.start(
      branch,
      (output) => group.finish(output),
      (error) => {
        unfinished -= 1;
        if (unfinished === 0 || error instanceof ControlSignal) group.fail(error);
      },
    );
  return group.result();
}

/**
 * Runs a branch with a time limit. The limit starts again when everything in the branch is waiting
 * at that moment.
 *
 * @throws what `createError` returns, when the limit is exceeded.
 */
export async function limitedBranch(
  run: StepRun,
  branch: Branch,
  limitMs: number,
  createError: () => Error,
): Promise<JsonValue> {
  const group = new BranchGroup(run);
  const stop = run.executionRun.limits.add(limitMs, () => {
    if (group.scope.isClosed) stop();
    else if (group.scope.isActive) group.fail(createError());
  });
  group.start(branch, (output) => group.finish(output));
  return group.result();
}

/**
 * Branches inside one step, each in its own scope. The step itself waits until the group finishes
 * or fails; branches that still run then are stopped.
 */
class BranchGroup {
  readonly scope: Scope;
  readonly #run: StepRun;
  readonly #result = Promise.withResolvers<JsonValue>();

  constructor(run: StepRun) {
    this.#run = run;
    this.scope = run.scope.open();
  }

  /** Neither callback is called once the group has ended. */
  start(
    branch: Branch,
    onSuccess: (output: JsonValue) => void,
    onFailure: (error: unknown) => void = (error) => this.fail(error),
  ): void {
    const scope = this.scope.open();
    scope.enter();
    branch(scope).then(
      (output) => {
        if (this.#hasEnded()) return;
        onSuccess(output);
        scope.leave();
      },
      (error: unknown) => {
        if (this.#hasEnded(error)) return;
        onFailure(error);
        scope.leave();
      },
    );
  }

  finish(result: JsonValue): void {
    this.#close();
    this.#result.resolve(result);
  }

  fail(error: unknown): void {
    this.#close();
    this.#result.reject(error);
  }

  /** Called once, after the first branches have started. */
  result(): Promise<JsonValue> {
    this.#run.scope.leave();
    return this.#result.promise;
  }

  /**
   * The journal records a bail before its signal arrives here. Results that other branches return
   * in between do not count.
   */
  #hasEnded(error?: unknown): boolean {
    const { execution, executionRun } = this.#run;
    return this.scope.isClosed || (executionRun.journal.has(execution.bailPath) && !(error instanceof BailSignal));
  }

  #close(): void {
    const { executionRun, path, scope } = this.#run;
    // The step continues before its branches leave: in between, the execution must not count as
    // inactive.
    scope.enter();
    executionRun.closeBelow(path, this.scope);
  }
}
