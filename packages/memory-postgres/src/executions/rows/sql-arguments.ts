import {
  type ClaimOptions,
  type Commit,
  type CreateOptions,
  type ExecutionChange,
  type JournalEntry,
  type JsonObject,
  type Lease,
  type NewExecution,
  type Quarantine,
  type RewindRequest,
  type Termination,
  subjectForUser,
} from '@halyard/contracts';
import { toText } from '../../connection/text-codec.ts';
import { metadataDigests } from '../reads/metadata-digests.ts';
import { type StoredEvents, toStoredEntry, toStoredEvents } from './shared-outputs.ts';
import { resumptionWait, suspensionWait, timerWait } from './stored-waits.ts';

/** One item for the SQL function `create_executions`. */
export function toCreateJson(execution: NewExecution, options: CreateOptions): string {
  const { claim, concurrency, definition, dueInMs = 0, journal = [], priority, requestId, resumptions = [] } = options;
  const { subject = subjectForUser(execution.userId) } = options;
  return JSON.stringify({
    id: toText(execution.id),
    requestId: toText(requestId),
    ...(claim !== undefined && toLease(claim)),
    dueInMs: dueInMs > 0 ? Math.ceil(dueInMs) : undefined,
    definition: definition === undefined ? undefined : toText(definition),
    priority,
    subject: subject && toText(subject),
    maxWaiting: subject === undefined ? undefined : options.maxWaiting,
    concurrencyKey: concurrency && toText(concurrency.key),
    concurrencyLimit: concurrency?.limit,
    ...toRules(options),
    ...toColumns(execution),
    events: execution.events.map(toJson),
    journal: journal.map(toEntry),
    waits: resumptions.map(resumptionWait),
  });
}

function toRules({ debounce, singleton, throttle }: CreateOptions): object {
  if (debounce === undefined && singleton === undefined && throttle === undefined) return {};
  return {
    rules: true,
    singletonKey: singleton && toText(singleton.key),
    skips: singleton?.onBusy === 'skip' ? true : undefined,
    throttleKey: throttle && toText(throttle.key),
    throttleLimit: throttle?.limit,
    throttlePeriodMs: throttle?.periodMs,
    debounceKey: debounce && toText(debounce.key),
    debounceMs: debounce?.delayMs,
    maxDebounceMs: debounce?.maxDelayMs,
  };
}

/** One item for the SQL function `claim_executions`. */
export function toClaimJson(id: string, lease: Lease, { definitions }: ClaimOptions): string {
  return JSON.stringify({
    id: toText(id),
    ...toLease(lease),
    definitions: definitions && toDefinitions(definitions),
  });
}

function toLease({ leaseMs, runner }: Lease): Lease {
  return { runner: toText(runner), leaseMs: Math.ceil(leaseMs) };
}

/** The definitions that may be claimed, and by which each is replaced. */
export function toDefinitions(definitions: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(definitions).map(([stored, next]) => [toText(stored), toText(next)]));
}

/** One item for the SQL function `commit_executions`. Absent fields change nothing. */
export function toCommitJson(commit: Commit): string {
  const { changes, checkpoint, entries, release, requestDone, settled, suspensions, timers } = commit;
  const [root, ...children] = mergeChanges(commit.executionId, changes);
  const stored = toStoredEvents(root.events);
  return JSON.stringify({
    id: toText(commit.executionId),
    creationId: toText(commit.creationId),
    epoch: commit.epoch,
    commitId: toText(commit.commitId),
    expectedSeq: commit.expectedSeq,
    entries: entries.map((entry) => toCommittedEntry(entry, stored.outputs)),
    ...toChange(root, stored),
    children: unlessEmpty(
      children.map((change) => ({ id: toText(change.id), ...toChange(change, toStoredEvents(change.events)) })),
    ),
    settled: unlessEmpty(settled.map(toText)),
    waits: unlessEmpty([...suspensions.map(suspensionWait), ...timers.map(timerWait)]),
    requestDone,
    checkpoint: checkpoint && {
      entries: checkpoint.entries.map(toText),
      children: checkpoint.children.map(toText),
      data: toJson(checkpoint.data),
    },
    expectedSignals: release?.expectedSignals,
    dueAt: typeof release?.dueAt === 'number' ? Math.ceil(release.dueAt) : undefined,
  });
}

/** The argument of the SQL function `quarantine_execution`. */
export function toQuarantineJson(id: string, { events, minClaims, suspension }: Quarantine): string {
  return JSON.stringify({ id: toText(id), minClaims, events: events.map(toJson), waits: [suspensionWait(suspension)] });
}

/** The events of each execution, by its id. */
export function toTerminationJson(termination: Termination): string {
  const entries = Object.entries(termination);
  return JSON.stringify(Object.fromEntries(entries.map(([id, events]) => [toText(id), events.map(toJson)])));
}

/** The argument of the SQL function `rewind_execution`. */
export function toRewindJson(rewind: RewindRequest): string {
  const { entries, executionId, expectedSeq, expectedSignals, newKeys, paths, resumption, states = [], user } = rewind;
  return JSON.stringify({
    id: toText(executionId),
    expectedSeq,
    expectedSignals,
    paths: paths.map(toText),
    entries: entries.map(toText),
    newKeys: newKeys?.map(toText),
    user: user === undefined ? undefined : toJson(user),
    states: states.map(({ id, set, unset }) => ({ id: toText(id), unset: unset.map(toText), set: toStateFields(set) })),
    resumptions: resumption === undefined ? [] : [resumptionWait(resumption)],
  });
}

/** One change for each execution. The first is that of the root, which may be empty. */
function mergeChanges(
  rootId: string,
  changes: readonly ExecutionChange[],
): readonly [ExecutionChange, ...ExecutionChange[]] {
  const byId = new Map<string, ExecutionChange>();
  for (const change of changes) {
    const before = byId.get(change.id);
    byId.set(change.id, before === undefined ? change : merge(before, change));
  }
  const root = byId.get(rootId) ?? { id: rootId, events: [] };
  byId.delete(rootId);
  return [root, ...byId.values()];
}

function merge(before: ExecutionChange, after: ExecutionChange): ExecutionChange {
  const events = [...before.events, ...after.events];
  const hasPatch = before.statePatch !== undefined || after.statePatch !== undefined;
  return {
    ...before,
    ...after,
    events,
    ...(hasPatch && { statePatch: { ...before.statePatch, ...after.statePatch } }),
  };
}

function toChange(
  { created, error, output, statePatch, status }: ExecutionChange,
  { events, sources }: StoredEvents,
): object {
  return {
    created: created && {
      parentId: toText(created.parentExecutionId),
      path: toText(created.path),
      ...toColumns(created),
    },
    status,
    output: output === undefined ? undefined : toJson(output),
    error: error === undefined ? undefined : toJson(error),
    statePatch: statePatch && toStateFields(statePatch),
    events,
    sources,
  };
}

function toColumns(execution: Omit<NewExecution, 'id' | 'events'>): object {
  const { conversationId, user, userId } = execution;
  return {
    workflowId: toText(execution.workflowId),
    workflowName: toText(execution.workflowName),
    conversationId: conversationId === undefined ? undefined : toText(conversationId),
    userId: userId === undefined ? undefined : toText(userId),
    metadataDigests: metadataDigests(execution.metadata),
    state: toStateFields(execution.workflowState),
    input: toJson(execution.input),
    context: toJson(execution.context),
    metadata: toJson(execution.metadata),
    user: user === undefined ? undefined : toJson(user),
  };
}

/**
 * The fields of a state, each as the text of its JSON. PostgreSQL can merge these, and `jsonb` can
 * hold them whatever the values are.
 */
function toStateFields(state: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(state).map(([key, value]) => [toText(key), toJson(value)]));
}

function toEntry(entry: JournalEntry): readonly [path: string, entry: string] {
  return [toText(entry.path), toJson(entry)];
}

function toCommittedEntry(
  entry: JournalEntry,
  outputs: ReadonlyMap<unknown, number>,
): readonly [path: string, entry: string, outputOf?: number] {
  return [toText(entry.path), ...toStoredEntry(entry, outputs)];
}

function toJson(value: unknown): string {
  return JSON.stringify(value);
}

function unlessEmpty<Item>(items: readonly Item[]): readonly Item[] | undefined {
  return items.length === 0 ? undefined : items;
}
