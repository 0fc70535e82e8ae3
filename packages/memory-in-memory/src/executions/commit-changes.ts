import {
  type Commit,
  type CommitOutcome,
  type ExecutionChange,
  HalyardError,
  type Suspension,
} from '@halyard/contracts';
import { writeCheckpoint } from './checkpoints.ts';
import { type ExecutionTree, isFinal, newRecord, type StoredChild, type StoredExecution } from './stored-execution.ts';

/** The executions that a commit names, by their ids. */
export interface CommittedExecutions {
  /** A root, or a sub-workflow of any root: its id is in use. */
  readonly get: (id: string) => StoredExecution | undefined;
  readonly getChild: (id: string) => StoredChild | undefined;
  readonly addChild: (child: StoredChild) => void;
}

/**
 * Writes the contents of a commit, except for its release. The caller has checked its epoch,
 * `expectedSeq` and signals.
 */
export function commitChanges(table: CommittedExecutions, root: ExecutionTree, commit: Commit, now: number): void {
  // Everything is checked first, so that nothing is written of a commit that cannot be written
  // whole.
  for (const change of commit.changes) checkChange(table, root, change, commit);

  for (const entry of commit.entries) root.journal.push(entry);
  const { record } = root;
  const { settled } = commit;
  record.suspensions = inOrder(joined(unsettled(record.suspensions, settled), commit.suspensions));
  record.resumptions = unsettled(record.resumptions, settled);
  record.timers = joined(unsettled(record.timers, settled), commit.timers);
  if (commit.requestDone === true) record.request = null;
  record.updatedAt = now;
  root.claimsWithoutCommit = 0;
  for (const change of commit.changes) {
    const stored =
      change.id === root.record.id ? root : (table.getChild(change.id) ?? addChild(table, root, change, now));
    applyChange(stored, change, now);
  }
  if (commit.checkpoint !== undefined) writeCheckpoint(root, commit.checkpoint);

  root.lastCommitId = commit.commitId;
  root.lastCommitSignals = record.signals;
}

/** Waits whose paths are not settled. */
function unsettled<Wait extends { readonly path: string }>(
  waits: readonly Wait[],
  settled: readonly string[],
): readonly Wait[] {
  if (waits.length === 0 || settled.length === 0) return waits;
  return waits.filter(({ path }) => !settled.includes(path));
}

function joined<Wait>(waits: readonly Wait[], added: readonly Wait[]): readonly Wait[] {
  return added.length === 0 ? waits : [...waits, ...added];
}

function checkChange(
  table: CommittedExecutions,
  root: ExecutionTree,
  change: ExecutionChange,
  { changes }: Commit,
): void {
  if (change.id === root.record.id) return;
  if (change.created !== undefined) {
    if (table.get(change.id) !== undefined) throw invalidChange(root, `creates ${change.id}, whose id is in use`);
    return;
  }
  // The first change of a new sub-workflow has passed this check, so it creates it.
  const isCreatedHere = changes.slice(0, changes.indexOf(change)).some(({ id }) => id === change.id);
  if (table.getChild(change.id)?.root === root || isCreatedHere) return;
  throw invalidChange(root, `changes ${change.id}, which is not one of its sub-workflows`);
}

function invalidChange(root: ExecutionTree, problem: string): HalyardError {
  return new HalyardError('internal', 'INTERNAL', `A commit of ${root.record.id} ${problem}`);
}

function inOrder(suspensions: readonly Suspension[]): readonly Suspension[] {
  if (suspensions.length < 2) return suspensions;
  return suspensions.toSorted((one, other) => one.suspendedAt - other.suspendedAt);
}

function addChild(
  table: CommittedExecutions,
  root: ExecutionTree,
  { id, created }: ExecutionChange,
  now: number,
): StoredChild {
  if (created === undefined) throw invalidChange(root, `changes ${id} before it creates it`);
  const record = newRecord({ ...created, id, creationId: id, rootExecutionId: root.record.id }, now);
  const child: StoredChild = { record, events: [], children: undefined, root };
  table.addChild(child);
  return child;
}

function applyChange(stored: StoredExecution, change: ExecutionChange, now: number): void {
  const { events, record } = stored;
  const { status, output, error, statePatch } = change;
  for (const event of change.events) events.push(event);
  record.seq += change.events.length;
  record.updatedAt = now;
  if (output !== undefined) record.output = output;
  if (error !== undefined) record.error = error;
  if (statePatch !== undefined) record.workflowState = { ...record.workflowState, ...statePatch };
  if (status === undefined) return;
  record.status = status;
  record.endedAt = isFinal(record) ? now : null;
}

/** The result of a commit that has been written, also when it is sent again. */
export function toOutcome(table: CommittedExecutions, root: ExecutionTree, { changes }: Commit): CommitOutcome {
  const { id, seq } = root.record;
  const { lastCommitSignals: signals } = root;
  const changedChildren = changes.filter((change) => change.id !== id);
  if (changedChildren.length === 0) return { status: 'committed', signals, seq };
  const childSeqs = Object.fromEntries(
    changedChildren.map((change) => [change.id, table.get(change.id)?.record.seq ?? 0]),
  );
  return { status: 'committed', signals, seq, childSeqs };
}
