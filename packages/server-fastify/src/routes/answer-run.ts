import { HalyardError } from '@halyard/contracts';
import type { RunResult } from '@halyard/core';
import type { TSchema } from '@sinclair/typebox';
import type { Call } from '../define/define-route.ts';
import { shuttingDown } from '../errors/shutting-down.ts';

/**
 * What an answer tells of a run that was waited for.
 *
 * @throws HalyardError naming the step that failed; that the server shuts down, which ended the wait.
 */
export function answerRun(run: RunResult, { isOver }: Pick<Call<TSchema, TSchema, TSchema>, 'isOver'>): RunResult {
  const { error, status } = run;
  // A client that left is told nothing, whatever this is.
  if (status === 'running' && isOver) throw shuttingDown();
  if (status !== 'error') return run;
  throw new HalyardError('failed', error?.code ?? 'WORKFLOW_FAILED', error?.message ?? 'The workflow failed');
}
