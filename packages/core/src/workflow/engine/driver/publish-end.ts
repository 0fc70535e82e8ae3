import type { EventBroker, Job } from '@halyard/contracts';
import type { AgentServices } from '../../../agent/agent-services.ts';
import { executionEnded } from '../../interpreter/step/join-executions.ts';

interface PublishEndOptions {
  readonly store: EventBroker;
  readonly services: AgentServices;
  readonly signal: (job: Job) => Promise<void>;
}

/** Wakes the executions that wait for the end of this one. Never rejects. */
export async function publishEnd(executionId: string, { services, signal, store }: PublishEndOptions): Promise<void> {
  const id = services.ids.next();
  // An execution can end again after a retry: each end is another event.
  const event = { id, name: executionEnded, key: executionId, payload: null, requestId: id };
  try {
    const { deliveries } = await store.publish('anyone', event);
    for (const job of deliveries) await signal(job);
  } catch (error) {
    services.logger.warn({ err: error, executionId }, 'who waits for an execution was not told that it has ended');
  }
}
