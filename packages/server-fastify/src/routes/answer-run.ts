import { HalyardError } from '@halyard/contracts';
import type { RunResult } from '@halyard/core';
import { shuttingDown } from '../errors/shutting-down.ts';

/**
 * What an answer tells of a run that was waited for.
 *
 * @throws HalyardError naming the step that failed; that the server shuts down, which ended the wait.
 */
export function answerRun(run: RunResult, signal: AbortSignal): RunResult {
  const { error, status } = run;
  // A client that left is told nothing, whatever this is.
  if (status === 'running' && signal.aborted) throw shuttingDown();
  if (status !== 'error') return run;
  throw new HalyardError('failed', error?.code ?? 'WORKFLOW_FAILED', error?.message ?? 'The workflow failed');
}
