import type { Execution, JsonValue, Owner } from '@halyard/contracts';
import { decisionPath } from '../../definition/place.ts';
import { hasChosenId } from '../../engine/creation.ts';
import { ownerForUser } from '../../engine/owner-for-user.ts';
import { findContinuation } from './continue-as-new.ts';
import { retryStorage } from './retry-storage.ts';
import { startedExecutions } from './start-execution.ts';
import type { StepRun } from './step-run.ts';
import { untilReady } from './until-ready.ts';

/** How an execution ended. */
export interface JoinedExecution {
  readonly executionId: string;
  /**
   * `deleted`: it does not exist, or belongs to another user and was not started by a step of this
   * execution. An execution that a step started is also `deleted` when its id was used again after
   * the deletion.
   */
  readonly status: 'completed' | 'error' | 'cancelled' | 'deleted';
  /** Its result; null unless it has completed. */
  readonly output: JsonValue;
  readonly error?: { readonly message: string };
}

/** Published with the id as the key when an execution ends that a step started. */
export const executionEnded = 'halyard.execution-ended';

/**
 * The event may be lost with the process in which the execution ended: then the next look finds the
 * end.
 */
const lookAgainMs = 300_000;

/** Waits until all of these executions have ended, without a process. Each end is recorded. */
export async function joinExecutions(run: StepRun, executionIds: readonly string[]): Promise<readonly JsonValue[]> {
  const joined: JsonValue[] = [];
  const own = startedExecutions(run);
  const ofUser = ownerForUser(run.execution.userId);
  for (const [index, id] of executionIds.entries()) {
    const name = `joined-${index}` as const;
    // Code has chosen the user of an execution that it started, and may read its result.
    const isStarted = own.has(id);
    const joining = { executionId: id, isStarted, owner: isStarted ? 'anyone' : ofUser } as const;
    const path = decisionPath(run.path, name);
    joined.push(await run.decide(name, async () => ({ ...(await untilEnded(run, path, joining)) })));
  }
  return joined;
}

async function untilEnded(
  run: StepRun,
  path: string,
  /** `isStarted`: by a step of this execution. */
  {
    executionId,
    isStarted,
    owner,
  }: { readonly executionId: string; readonly isStarted: boolean; readonly owner: Owner },
): Promise<JoinedExecution> {
  const { options, waits, waitChanges } = run.executionRun;
  let currentId = executionId;
  for (;;) {
    if (!waits.suspensions.has(path)) {
      await untilReady(run);
      const found = await retryStorage(run, () => options.store.find(owner, currentId));
      // The engine generates these ids. After a deletion, a request can choose one, and its
      // execution has another result.
      const isGenerated = isStarted || currentId !== executionId;
      const row = found !== undefined && isGenerated && hasChosenId(found) ? undefined : found;
      const next = row && (await retryStorage(run, () => findContinuation(options.store, owner, row)));
      if (next !== undefined) {
        currentId = next.id;
        continue;
      }
      const end = toEnd(executionId, row);
      if (end !== undefined) return end;
      waitChanges.suspend(run, {
        path,
        kind: 'event',
        reason: `waits for the execution ${executionId}`,
        data: { executionId },
        event: { name: executionEnded, key: currentId },
        timeoutMs: lookAgainMs,
      });
    }
    await untilReady(run, path);
  }
}

/** @returns undefined while it can continue. */
function toEnd(executionId: string, row: Execution | undefined): JoinedExecution | undefined {
  if (row === undefined) return { executionId, status: 'deleted', output: null };
  const { error, output = null, status } = row;
  if (status === 'running' || status === 'suspended') return undefined;
  return { executionId, status, output, ...(error !== undefined && { error: { message: error.message } }) };
}
