import type { EventBroker, Job } from '@halyard/contracts';
import type { AgentServices } from '../../../agent/agent-services.ts';
import type { IdleWaiters } from '../../follow/idle-waiters.ts';
import type { ReleasedRun } from '../../interpreter/run/release.ts';
import { startedBy } from '../../interpreter/step/start-execution.ts';
import { runResult } from '../run-result.ts';
import { publishEnd } from './publish-end.ts';

interface ReportOptions {
  readonly store: EventBroker;
  readonly services: AgentServices;
  readonly waiters: IdleWaiters;
  readonly signal: (job: Job) => Promise<void>;
}

/** Tells of the end of a run those who wait for it, here and in other executions. */
export function reportReleased(
  { endedAt, ending, root, status, suspensions }: ReleasedRun,
  { services, signal, store, waiters }: ReportOptions,
): void {
  const { createdAt, creationId, id, path, workflow } = root;
  const output = ending?.status === 'completed' ? ending.output : undefined;
  const error = ending?.status === 'error' ? ending.error : undefined;
  const source = { id, path, status, createdAt, endedAt, output, error, suspensions };
  if (ending !== undefined && startedBy in root.metadata) void publishEnd(id, { services, signal, store });
  // An execution that sleeps may wake in another process.
  waiters.notify(id, status === 'running' ? 'elsewhere' : runResult(source, workflow), creationId);
}
