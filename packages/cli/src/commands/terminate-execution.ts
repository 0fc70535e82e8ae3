import { exitCodes } from '../cli-error.ts';
import { withProgress } from '../progress.ts';
import { callServer, type ServerFlags } from '../server.ts';
import { plain, print, style } from '../terminal.ts';

export interface TerminateFlags extends ServerFlags {
  readonly reason?: string;
}

/** Ends an execution at once, without compensation. */
export async function terminateExecution(
  workflowId: string,
  executionId: string,
  { reason, url }: TerminateFlags,
): Promise<number> {
  const path = `/workflows/${encodeURIComponent(workflowId)}/executions/${encodeURIComponent(executionId)}/terminate`;
  await withProgress(`Terminating ${plain(executionId)}`, () =>
    callServer({ url }, path, {
      credentials: 'console',
      method: 'POST',
      body: { ...(reason !== undefined && { reason }) },
    }),
  );
  print(`${style('✓', 'green')} ${plain(executionId)} is cancelled. No step was undone.`);
  return exitCodes.ok;
}
