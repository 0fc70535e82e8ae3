import {
  type CreateOptions,
  type CreateOutcome,
  type ExecutionLog,
  type Job,
  type Lease,
  type NewExecution,
  subjectForUser,
} from '@halyard/contracts';
import type { AgentServices } from '../../../agent/agent-services.ts';
import { type Claim, claimNow } from './local-execution.ts';

interface CreationParts {
  readonly store: Pick<ExecutionLog, 'create'>;
  readonly services: Pick<AgentServices, 'clock'>;
  /** That of this process. */
  readonly lease: Lease;
  /** Whether an execution may start here now. */
  readonly hasSlot: (job: Job) => boolean;
  /** Takes a slot now, so that nothing else does, and runs the execution if it is claimed. */
  readonly occupySlot: (job: Job, claim: Promise<Claim | undefined>) => void;
  readonly wake: (job: Job, inMs: number) => void;
}

/**
 * Creates an execution. It is claimed with its creation if it may start at once and a slot of the
 * share of its subject is free.
 */
export async function createExecution(
  { hasSlot, lease, occupySlot, services, store, wake }: CreationParts,
  execution: NewExecution,
  options: CreateOptions,
  onCreated: () => void = () => {},
): Promise<CreateOutcome> {
  const { concurrency, debounce, dueInMs = 0, subject = subjectForUser(execution.userId), throttle } = options;
  const job = { executionId: execution.id, workflowId: execution.workflowId, subject };
  const inMs = debounce?.delayMs ?? dueInMs;
  const startsHere = inMs === 0 && concurrency === undefined && throttle === undefined && hasSlot(job);
  const claimFrom = claimNow(services.clock);
  const created = store.create(execution, { ...options, ...(startsHere && { claim: lease }) });
  const claim = created.then(
    (outcome) => {
      if (typeof outcome === 'object' || outcome === 'created') onCreated();
      return typeof outcome === 'object' ? claimFrom(outcome) : undefined;
    },
    () => undefined,
  );
  if (startsHere) occupySlot(job, claim);
  const outcome = await created;
  if (typeof outcome === 'object') return 'created';
  if (outcome !== 'created') return outcome;
  wake(job, inMs);
  // The log knows when it is due: look once more.
  if (throttle !== undefined) wake(job, 1);
  return outcome;
}
