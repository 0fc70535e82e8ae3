import {
  type Commit,
  type CommitOutcome,
  type ExecutionChange,
  HalyardError,
  type Suspension,
} from '@halyard/contracts';
import type { ExecutionTable } from './execution-table.ts';
import { isFinal, StoredChild, type StoredRoot } from './stored-execution.ts';

/** Writes what a commit carries, but for its release. Whoever calls it has made sure that the commit may be written. */
export function commitChanges(table: ExecutionTable, root: StoredRoot, commit: Commit, now: number): CommitOutcome {
  for (const change of commit.changes) if (change.id !== root.id) checkTarget(table, root, change, commit);

  for (const entry of commit.entries) root.journal.push(entry);
  if (commit.settled.length > 0) settle(root, commit.settled);
  for (const suspension of commit.suspensions) addSuspension(root, suspension);
  for (const timer of commit.timers) (root.timers ??= []).push(timer);
  if (commit.requestDone === true) root.request = null;
  root.updatedAt = now;
  root.claimsWithoutCommit = 0;

  for (const change of commit.changes) applyChange(table, root, change, now);
  root.lastCommitId = commit.commitId;
  root.lastSignals = root.signals;
  root.lastChangedChildren = changedChildren(root, commit);
  return lastOutcome(table, root);
}

/** What the last commit was answered with. It was the last: what it has changed is as it left it. */
export function lastOutcome(table: ExecutionTable, root: StoredRoot): CommitOutcome {
  const outcome = { status: 'committed', signals: root.lastSignals, seq: root.events.length } as const;
  if (root.lastChangedChildren === undefined) return outcome;
  // Without a prototype: `__proto__` is an id like any other.
  const childSeqs = Object.create(null) as Record<string, number>;
  for (const id of root.lastChangedChildren) childSeqs[id] = table.get(id)?.events.length ?? 0;
  return { ...outcome, childSeqs };
}

function changedChildren(root: StoredRoot, { changes }: Commit): readonly string[] | undefined {
  if (changes.every(({ id }) => id === root.id)) return undefined;
  return changes.map(({ id }) => id).filter((id) => id !== root.id);
}

/** Before anything is written: a commit that cannot be written whole is a fault of the runner's. */
function checkTarget(table: ExecutionTable, root: StoredRoot, change: ExecutionChange, { changes }: Commit): void {
  const stored = table.get(change.id);
  const fits =
    change.created === undefined
      ? (stored instanceof StoredChild && stored.root === root) || isCreatedIn(changes, change.id)
      : stored === undefined;
  if (fits) return;
  const fault = change.created === undefined ? 'which is not a part of it' : 'whose id is taken';
  throw new HalyardError('internal', 'INTERNAL', `A commit of ${root.id} changes ${change.id}, ${fault}`);
}

function isCreatedIn(changes: readonly ExecutionChange[], id: string): boolean {
  return changes.some((change) => change.id === id && change.created !== undefined);
}

function settle(root: StoredRoot, settled: readonly string[]): void {
  const isOpen = ({ path }: { readonly path: string }): boolean => !settled.includes(path);
  if (root.suspensions !== undefined) root.suspensions = root.suspensions.filter(isOpen);
  if (root.resumptions !== undefined) root.resumptions = root.resumptions.filter(isOpen);
  if (root.timers !== undefined) root.timers = root.timers.filter(isOpen);
}

function addSuspension(root: StoredRoot, suspension: Suspension): void {
  const { suspensions } = root;
  if (suspensions === undefined) {
    root.suspensions = [suspension];
    return;
  }
  const last = suspensions.at(-1);
  suspensions.push(suspension);
  if (last !== undefined && last.suspendedAt > suspension.suspendedAt) {
    suspensions.sort((one, other) => one.suspendedAt - other.suspendedAt);
  }
}

function applyChange(table: ExecutionTable, root: StoredRoot, change: ExecutionChange, now: number): void {
  const stored = change.id === root.id ? root : childOf(table, root, change, now);
  if (change.status !== undefined) {
    stored.status = change.status;
    stored.endedAt = isFinal(change.status) ? now : null;
  }
  if (change.output !== undefined) stored.output = change.output;
  if (change.error !== undefined) stored.error = change.error;
  if (change.statePatch !== undefined) stored.workflowState = { ...stored.workflowState, ...change.statePatch };
  for (const event of change.events) stored.events.push(event);
  stored.updatedAt = now;
}

function childOf(table: ExecutionTable, root: StoredRoot, change: ExecutionChange, now: number): StoredChild {
  const stored = table.get(change.id);
  if (stored instanceof StoredChild) return stored;
  if (change.created === undefined) throw new HalyardError('internal', 'INTERNAL', `${change.id} begins too late`);
  const child = new StoredChild(change.id, change.created, root, now);
  table.addChild(child);
  return child;
}
