import type { RewindRequest } from '@halyard/contracts';
import { isFinal, type StoredRoot } from './stored-execution.ts';

/** Forgets what was recorded from a step on. Whoever calls it makes the execution due again. */
export function rewindRoot(root: StoredRoot, rewind: RewindRequest, now: number): void {
  const isKept = ({ path }: { readonly path: string }): boolean =>
    !rewind.paths.some((from) => isAtOrBelow(path, from));
  root.journal = root.journal.filter((entry) => isKept(entry) && !rewind.entries.includes(entry.path));
  if (root.suspensions !== undefined) root.suspensions = root.suspensions.filter(isKept);
  if (root.timers !== undefined) root.timers = root.timers.filter(isKept);
  const answers = root.resumptions?.filter(isKept) ?? [];
  root.resumptions = rewind.resumption === undefined ? answers : [...answers, rewind.resumption];
  (root.rewinds ??= []).push({ paths: rewind.paths, seq: root.events.length });

  for (const child of root.descendants ?? []) {
    if (isFinal(child.status) || isKept(child)) continue;
    child.status = 'cancelled';
    child.endedAt = now;
    child.updatedAt = now;
  }

  root.status = 'running';
  root.output = undefined;
  root.error = undefined;
  root.endedAt = null;
  root.updatedAt = now;
  root.signals += 1;
  root.epoch += 1;
  root.runner = null;
}

/** Whether `path` is the step at `from`, one of its instances, a step in it or a decision of it: not one whose id only begins alike. */
function isAtOrBelow(path: string, from: string): boolean {
  if (!path.startsWith(from)) return false;
  if (path.length === from.length) return true;
  const next = path.charAt(from.length);
  return next === '/' || next === '#' || next === ':';
}
