import type { ExecutionLeases } from '@halyard/contracts';
import type { AgentServices } from '../../../agent/agent-services.ts';
import { type LeaseDeadline, leaseTime } from './lease-deadline.ts';
import type { LocalExecution } from './local-execution.ts';

interface RenewHeldOptions {
  readonly leases: Pick<ExecutionLeases, 'renew'>;
  readonly services: Pick<AgentServices, 'logger'>;
  readonly runner: string;
  readonly leaseMs: number;
}

/**
 * Renews the lease of a process and stops its lost executions. Never rejects. @returns whether the
 * storage has replied.
 */
export async function renewHeld(
  locals: ReadonlyMap<string, LocalExecution>,
  deadline: LeaseDeadline,
  { leaseMs, leases, runner, services }: RenewHeldOptions,
): Promise<boolean> {
  const held = [...locals].flatMap(([executionId, { epoch, isDelivered }]) =>
    epoch === undefined || isDelivered ? [] : { executionId, epoch },
  );
  const requestedAt = leaseTime();
  try {
    const lost = new Set(await leases.renew(held, { runner, leaseMs }));
    // Nothing may run any more.
    if (lost.size < held.length && locals.size > 0) deadline.extend(requestedAt);
    for (const { epoch, executionId } of held) {
      const local = locals.get(executionId);
      // Since the call it may have been released and claimed again, with another epoch.
      if (lost.has(executionId) && local?.epoch === epoch) local.fence();
    }
    return true;
  } catch (error) {
    if (held.length > 0) services.logger.warn({ err: error }, 'the lease could not be renewed');
    return false;
  }
}
