import { HalyardError } from '@halyard/contracts';
import type { RunResult } from '@halyard/core';
import type { TSchema } from '@sinclair/typebox';
import type { Call } from '../define/define-route.ts';
import { shuttingDown } from '../errors/shutting-down.ts';

/**
 * The answer of a route that waited for a run.
 *
 * @throws HalyardError naming the step that failed, or that the server is shutting down, which ended the wait.
 */
export function answerRun(run: RunResult, { signal }: Pick<Call<TSchema, TSchema, TSchema>, 'signal'>): RunResult {
  const { error, status } = run;
  // A client that left gets no answer at all.
  if (status === 'running' && signal.aborted) throw shuttingDown();
  if (status !== 'error') return run;
  throw new HalyardError('failed', error?.code ?? 'WORKFLOW_FAILED', error?.message ?? 'The workflow failed');
}
