import type { Quarantine, ResumeRequest, Resumption, RewindRequest, Suspension, Termination } from '@halyard/contracts';
import type { StoredEvent } from './published-events.ts';
import { type ExecutionTree, isFinal, listTree, none } from './stored-execution.ts';

/**
 * A repeated request follows its first attempt closely, so that the last few are enough to
 * recognise it.
 */
const rememberedRequests = 8;

/**
 * Resumes a pending suspension. @returns the suspension; `repeated` for a request that was accepted
 * before; undefined when it is not pending.
 */
export function resumeRoot(
  root: ExecutionTree,
  { suspensionId, data, isExpired, isTimeout, resumedBy, requestId }: ResumeRequest,
): Suspension | 'repeated' | undefined {
  if (root.resumeRequestIds.includes(requestId)) return 'repeated';
  const { record } = root;
  const suspension = record.suspensions.find(({ id }) => id === suspensionId);
  if (suspension === undefined) return undefined;

  root.resumeRequestIds = [...root.resumeRequestIds, requestId].slice(-rememberedRequests);
  answer(root, suspension, {
    path: suspension.path,
    suspensionId,
    data,
    ...(resumedBy !== undefined && { resumedBy }),
    ...(isTimeout !== undefined && { isTimeout }),
    ...(isExpired !== undefined && { isExpired }),
  });
  return suspension;
}

/** Resumes a suspension with an event. */
export function receiveEvent(
  root: ExecutionTree,
  suspension: Suspension,
  { id: eventId, payload }: Pick<StoredEvent, 'id' | 'payload'>,
): void {
  const { id, path } = suspension;
  root.received = [...root.received, { path, eventId }];
  answer(root, suspension, { path, suspensionId: id, data: payload });
}

function answer({ record }: ExecutionTree, suspension: Suspension, resumption: Resumption): void {
  record.suspensions = record.suspensions.filter((other) => other !== suspension);
  record.resumptions = [...record.resumptions, resumption];
  if (record.runner === null) record.status = 'running';
}

/** Gives a root to a runner. */
export function claimRoot(
  root: ExecutionTree,
  { definition, runner }: { readonly runner: string; readonly definition: string },
): void {
  const { record } = root;
  record.status = 'running';
  record.quarantinedAt = null;
  record.waitingSince = null;
  record.definition = definition;
  record.epoch += 1;
  record.runner = runner;
  root.claimsWithoutCommit += 1;
}

/** Suspends a root that no process can run. The caller releases it. */
export function quarantineRoot(root: ExecutionTree, { events, suspension }: Quarantine, now: number): void {
  const { record } = root;
  record.status = 'suspended';
  record.quarantinedAt = now;
  record.updatedAt = now;
  record.epoch += 1;
  record.suspensions = [...record.suspensions, suspension];
  root.events.push(...events);
  record.seq += events.length;
  root.claimsWithoutCommit = 0;
}

/**
 * Ends a root and its open sub-workflows. The caller releases it. @returns the ended executions.
 */
export function terminateRoot(root: ExecutionTree, termination: Termination, now: number): readonly string[] {
  const ended: string[] = [];
  root.record.epoch += 1;
  root.record.quarantinedAt = null;
  root.claimsWithoutCommit = 0;
  for (const { events, record } of listTree(root)) {
    if (isFinal(record)) continue;
    const added = termination[record.id] ?? [];
    events.push(...added);
    record.status = 'cancelled';
    record.endedAt = now;
    record.updatedAt = now;
    record.seq += added.length;
    ended.push(record.id);
  }
  return ended;
}

/** Deletes the records from a step on. The caller makes the execution due again. */
export function rewindRoot(
  root: ExecutionTree,
  { paths, entries, newKeys, resumption, states = [], user }: RewindRequest,
  now: number,
): void {
  const stays = ({ path }: { readonly path: string }): boolean => !paths.some((from) => isAtOrBelow(path, from));
  root.received = root.received.filter(stays);
  root.journal = root.journal.filter((entry) => stays(entry) && !entries.includes(entry.path));
  root.checkpoint = undefined;

  const { record } = root;
  delete record.output;
  delete record.error;
  record.status = 'running';
  record.endedAt = null;
  record.updatedAt = now;
  record.suspensions = record.suspensions.filter(stays);
  record.resumptions = record.resumptions.filter(stays);
  if (resumption !== undefined) record.resumptions = [...record.resumptions, resumption];
  record.timers = record.timers.filter(stays);
  record.rewinds = [...record.rewinds, { paths, ...(newKeys !== undefined && { newKeys }), seq: record.seq }];
  record.signals += 1;
  record.epoch += 1;
  record.runner = null;
  for (const { record: changed } of listTree(root)) {
    if (user !== undefined) changed.user = user;
    const state = states.find(({ id }) => id === changed.id);
    if (state === undefined) continue;
    const fields = Object.entries(changed.workflowState).filter(([name]) => !state.unset.includes(name));
    changed.workflowState = { ...Object.fromEntries(fields), ...state.set };
  }
  for (const { record: child } of root.descendants ?? none) {
    if (isFinal(child) || stays(child)) continue;
    child.status = 'cancelled';
    child.endedAt = now;
    child.updatedAt = now;
  }
}

/**
 * Whether `path` is the step at `from`, one of its instances, a step in it or a decision of it, and
 * not a step whose id only begins with the same letters. The grammar is in
 * packages/core/src/workflow/definition/place.ts.
 */
function isAtOrBelow(path: string, from: string): boolean {
  return path === from || ['/', '#', ':'].some((separator) => path.startsWith(from + separator));
}
