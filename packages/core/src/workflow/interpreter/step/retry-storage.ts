import { isHalyardError } from '@halyard/contracts';
import { ScopeClosedSignal } from '../branches/control-signals.ts';
import type { StepRun } from './step-run.ts';

/**
 * Repeats a call to the storage until it succeeds, as long as the commits of this run are repeated.
 * Then another process continues the execution. A step does not fail because the storage does.
 *
 * @throws what `call` throws on purpose, such as InvalidInputError; ScopeClosedSignal
 */
export async function retryStorage<Result>(run: StepRun, call: () => Promise<Result>): Promise<Result> {
  const { executionRun, logger, scope } = run;
  const { commitRetryMs, delay, leaseMs } = executionRun.options.commitRetry;
  for (let waitMs = commitRetryMs; ; waitMs *= 2) {
    try {
      return await call();
    } catch (error) {
      if (scope.isClosed) throw new ScopeClosedSignal();
      if (isHalyardError(error) && error.kind !== 'unavailable') throw error;
      if (waitMs * 2 > leaseMs) {
        executionRun.lose(error);
        throw new ScopeClosedSignal();
      }
      logger.warn({ err: error }, 'a call to the storage failed and is retried');
      await delay(waitMs);
    }
  }
}
