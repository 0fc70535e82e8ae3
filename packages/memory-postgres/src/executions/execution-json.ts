import type { Commit, CreateOptions, ExecutionChange, JournalEntry, Lease, NewExecution } from '@halyard/contracts';
import { toText } from '../connection/text-codec.ts';
import { metadataDigests } from './metadata-digests.ts';
import { toStateMembers } from './state-members.ts';
import { resumptionWait, suspensionWait, timerWait } from './stored-wait.ts';

/** What `create_executions` takes of one execution, as JSON. */
export function sentExecution(
  execution: NewExecution,
  { journal = [], requestId, resumptions = [] }: CreateOptions,
): string {
  return JSON.stringify({
    id: toText(execution.id),
    requestId: toText(requestId),
    ...valuesOf(execution),
    events: execution.events.map(toJson),
    journal: journal.map(sentEntry),
    waits: resumptions.map(resumptionWait),
  });
}

/** What `claim_executions` takes of one claim. */
export function sentClaim(id: string, { leaseMs, runner }: Lease): string {
  return JSON.stringify({ id: toText(id), runner: toText(runner), leaseMs: Math.ceil(leaseMs) });
}

/** What `commit_executions` takes of one commit. Absent fields change nothing. */
export function sentCommit(commit: Commit): string {
  const { changes, entries, release, requestDone, settled, suspensions, timers } = commit;
  const [root, ...children] = joinedChanges(commit.executionId, changes);
  return JSON.stringify({
    id: toText(commit.executionId),
    epoch: commit.epoch,
    commitId: toText(commit.commitId),
    expectedSeq: commit.expectedSeq,
    entries: entries.map(sentEntry),
    ...sentChange(root),
    children:
      children.length === 0 ? undefined : children.map((change) => ({ id: toText(change.id), ...sentChange(change) })),
    settled: settled.length === 0 ? undefined : settled.map(toText),
    waits:
      suspensions.length + timers.length === 0
        ? undefined
        : [...suspensions.map(suspensionWait), ...timers.map(timerWait)],
    requestDone,
    expectedSignals: release?.expectedSignals,
    dueAt: typeof release?.dueAt === 'number' ? Math.ceil(release.dueAt) : undefined,
  });
}

/** One change for each execution, the root's first; there is always one of the root. */
function joinedChanges(
  rootId: string,
  changes: readonly ExecutionChange[],
): readonly [ExecutionChange, ...ExecutionChange[]] {
  const byId = new Map<string, ExecutionChange>();
  for (const change of changes) {
    const before = byId.get(change.id);
    byId.set(change.id, before === undefined ? change : joined(before, change));
  }
  const root = byId.get(rootId) ?? { id: rootId, events: [] };
  byId.delete(rootId);
  return [root, ...byId.values()];
}

function joined(before: ExecutionChange, after: ExecutionChange): ExecutionChange {
  const statePatch =
    before.statePatch === undefined || after.statePatch === undefined
      ? (after.statePatch ?? before.statePatch)
      : { ...before.statePatch, ...after.statePatch };
  const events = [...before.events, ...after.events];
  return { ...before, ...after, events, ...(statePatch !== undefined && { statePatch }) };
}

function sentChange({ created, error, events, output, statePatch, status }: ExecutionChange): object {
  return {
    created: created && {
      parentId: toText(created.parentExecutionId),
      path: toText(created.path),
      ...valuesOf(created),
    },
    status,
    output: output === undefined ? undefined : toJson(output),
    error: error === undefined ? undefined : toJson(error),
    statePatch: statePatch && toStateMembers(statePatch),
    events: events.map(toJson),
  };
}

function valuesOf(values: Omit<NewExecution, 'id' | 'events'>): object {
  const { context, conversationId, input, metadata, user, userId, workflowId, workflowName, workflowState } = values;
  return {
    workflowId: toText(workflowId),
    workflowName: toText(workflowName),
    conversationId: conversationId === undefined ? undefined : toText(conversationId),
    userId: userId === undefined ? undefined : toText(userId),
    metadataDigests: metadataDigests(metadata),
    state: toStateMembers(workflowState),
    input: toJson(input),
    context: toJson(context),
    metadata: toJson(metadata),
    user: user === undefined ? undefined : toJson(user),
  };
}

function sentEntry(entry: JournalEntry): readonly [path: string, entry: string] {
  return [toText(entry.path), toJson(entry)];
}

function toJson(value: unknown): string {
  return JSON.stringify(value);
}
