import { AbortedError } from '@halyard/contracts';
import type { HeldLock } from '../../conversation/lock/held-lock.ts';
import { conversationKey } from '../../conversation/run-conversation.ts';
import type { RunRequest } from './prepare.ts';
import type { StartedRun } from './start.ts';

const defaultWaitMs = 60_000;
const defaultLeaseMs = 10_000;

/**
 * Starts a run when it has the lock of its conversation, and releases the lock with the end of the
 * run. A run that writes nothing needs no lock. Neither does the step of a workflow: the workflow
 * may be part of a run that holds it.
 *
 * @param start is told whether the run has the lock.
 * @throws what `ConversationLock.run` throws.
 */
export async function withLock(
  { agent, context, options, services }: Pick<RunRequest, 'agent' | 'context' | 'options' | 'services'>,
  start: (hasLock: boolean) => Promise<StartedRun>,
): Promise<StartedRun> {
  const memory = agent.memoryIn(services);
  const key = memory && conversationKey({ context, options, services });
  const { busyPolicy = options.journal === undefined ? agent.onBusy : undefined } = options.journal ?? {};
  if (memory === undefined || key === undefined || busyPolicy === undefined) return start(false);
  if (memory.settings.readOnly || options.memory?.options?.readOnly === true) return start(false);
  const request = {
    id: `lock-${services.ids.next()}`,
    agentId: agent.id,
    conversationId: key.conversationId,
    userId: key.userId,
    policy: busyPolicy,
    signal: options.signal,
    waitMs: options.journal?.lockWaitMs ?? services.busyWaitMs ?? defaultWaitMs,
    leaseMs: services.leaseMs ?? defaultLeaseMs,
    journal: options.journal,
  };
  return memory.lock.run(request, async (lock) => {
    if (lock === undefined) return start(false);
    try {
      const { result, run } = await start(true);
      lock.onStop((why) => {
        if (why === 'lost') options.journal?.onLockLost?.();
        run.dependencies.limits.abort(new AbortedError());
      });
      return { run, result: releaseAfter(lock, result) };
    } catch (error) {
      await lock.release();
      throw error;
    }
  });
}

async function releaseAfter<Result>(lock: HeldLock, result: Promise<Result>): Promise<Result> {
  try {
    return await result;
  } finally {
    await lock.release();
  }
}
