import type { EngineExecutions, ExecutionStore, Job } from '@halyard/contracts';
import type { AgentServices } from '../../../agent/agent-services.ts';

interface IsLeasedOptions {
  readonly store: EngineExecutions | ExecutionStore;
  readonly services: Pick<AgentServices, 'logger'>;
}

/**
 * Whether processes claim an execution: an engine delivers its own. Never rejects:
 * the next sweep also finds due executions.
 */
export async function isLeased({ executionId }: Job, { services, store }: IsLeasedOptions): Promise<boolean> {
  if ('claimNext' in store) return true;
  try {
    return (await store.stored?.find('anyone', executionId)) !== undefined;
  } catch (error) {
    services.logger.warn({ err: error, executionId }, 'the storage did not say whether it has an execution');
    return false;
  }
}
