import type { Execution, ResumeRequest, RewindRequest, Suspension } from '@halyard/contracts';
import { isFinal, none, type StoredRoot } from './stored-execution.ts';

/** A repeated request follows its first attempt closely, so that the last few are enough to recognise it. */
const rememberedRequests = 8;

/** Answers a pending suspension. @returns the suspension; `repeated` for a request that was accepted before; undefined when it is not pending. */
export function resumeRoot(
  root: StoredRoot,
  { suspensionId, data, resumedBy, requestId }: ResumeRequest,
): Suspension | 'repeated' | undefined {
  if (root.resumeRequestIds.includes(requestId)) return 'repeated';
  const { record } = root;
  const suspension = record.suspensions.find(({ id }) => id === suspensionId);
  if (suspension === undefined) return undefined;

  const resumption = { path: suspension.path, suspensionId, data, ...(resumedBy !== undefined && { resumedBy }) };
  root.resumeRequestIds = [...root.resumeRequestIds, requestId].slice(-rememberedRequests);
  root.record = {
    ...record,
    suspensions: record.suspensions.filter((other) => other !== suspension),
    resumptions: [...record.resumptions, resumption],
    status: record.runner === null ? 'running' : record.status,
  };
  return suspension;
}

/** Deletes what was recorded from a step on. The caller makes the execution due again. */
export function rewindRoot(root: StoredRoot, { paths, entries, resumption }: RewindRequest, now: number): void {
  const stays = ({ path }: { readonly path: string }): boolean => !paths.some((from) => isAtOrBelow(path, from));
  root.journal = root.journal.filter((entry) => stays(entry) && !entries.includes(entry.path));

  const { suspensions, resumptions, timers, rewinds, seq, signals, epoch } = root.record;
  root.record = {
    ...withoutResult(root.record),
    status: 'running',
    endedAt: null,
    updatedAt: now,
    suspensions: suspensions.filter(stays),
    resumptions: [...resumptions.filter(stays), ...(resumption === undefined ? [] : [resumption])],
    timers: timers.filter(stays),
    rewinds: [...rewinds, { paths, seq }],
    signals: signals + 1,
    epoch: epoch + 1,
    runner: null,
  };
  for (const child of root.descendants ?? none) {
    if (isFinal(child.record) || stays(child.record)) continue;
    child.record = { ...child.record, status: 'cancelled', endedAt: now, updatedAt: now };
  }
}

function withoutResult({ output: _output, error: _error, ...record }: Execution): Execution {
  return record;
}

/** Whether `path` is the step at `from`, one of its instances, a step in it or a decision of it, and not a step whose id only begins with the same letters. */
function isAtOrBelow(path: string, from: string): boolean {
  return path === from || ['/', '#', ':'].some((separator) => path.startsWith(from + separator));
}
