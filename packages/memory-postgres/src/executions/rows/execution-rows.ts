import type {
  ClaimedExecution,
  Execution,
  ExecutionEvent,
  ExecutionRequest,
  ExecutionStatus,
  JsonObject,
  JsonValue,
} from '@halyard/contracts';
import { type AliasedRawBuilder, sql } from 'kysely';
import { fromText } from '../../connection/text-codec.ts';
import { fromStoredEntry, fromStoredEvent } from './shared-outputs.ts';
import { toResumptions, type StoredRewind, type StoredWait, toSuspensions, toTimers } from './stored-waits.ts';

/**
 * A row of `executions` as `row_to_json` returns it. Unlike rows of a driver, it does not depend on
 * the type parsers of the app's pool.
 */
interface ExecutionRow {
  readonly id: string;
  /** Null for a sub-workflow. */
  readonly request_id: string | null;
  readonly parent_id: string | null;
  readonly root_id: string;
  readonly path: string;
  readonly workflow_id: string;
  readonly workflow_name: string;
  readonly conversation_id: string | null;
  readonly user_id: string | null;
  readonly status: ExecutionStatus;
  readonly created_at: number;
  readonly updated_at: number;
  readonly ended_at: number | null;
  readonly definition: string;
  readonly subject: string | null;
  readonly quarantined_at: number | null;
  readonly priority: number;
  readonly concurrency_key: string | null;
  readonly concurrency_limit: number | null;
  readonly waiting_since: number | null;
  readonly runner: string | null;
  readonly epoch: number;
  readonly claims_without_commit: number;
  readonly seq: number;
  readonly signals: number;
  readonly request_kind: ExecutionRequest['kind'] | null;
  readonly request_reason: string | null;
  readonly waits: readonly StoredWait[];
  readonly rewinds: readonly StoredRewind[];
  /** Each field of the state as the text of its JSON. */
  readonly state: Readonly<Record<string, string>>;
  readonly input: string;
  readonly context: string;
  readonly metadata: string;
  readonly user_snapshot: string | null;
  readonly output: string | null;
  readonly error: string | null;
}

/** Selects the row of `executions as e` as JSON. */
export const rowJson: AliasedRawBuilder<string, 'row'> = sql<string>`row_to_json(e)::text`.as('row');
/** Selects the waits of the root, `executions as r`. Null for a root, whose own row has them. */
export const rootWaitsJson: AliasedRawBuilder<string | null, 'root_waits'> = sql<string | null>`r.waits::text`.as(
  'root_waits',
);

/** @param selected the result of a query that selects {@link rowJson} and {@link rootWaitsJson}. */
export function toExecution(selected: { readonly row: string; readonly root_waits: string | null }): Execution {
  const row = JSON.parse(selected.row) as ExecutionRow;
  const rootWaits = selected.root_waits === null ? row.waits : parsed<readonly StoredWait[]>(selected.root_waits);
  return fromRow(row, rootWaits);
}

/**
 * @param json a result of the SQL functions `create_executions`, `claim_executions` and
 * `claim_next`.
 */
export function toClaimedExecution(json: string): ClaimedExecution {
  const { checkpoint, children, execution, journal, now } = JSON.parse(json) as {
    readonly now: number;
    readonly execution: ExecutionRow;
    readonly journal: readonly (string | readonly [entry: string, source: string])[] | null;
    readonly children: readonly ExecutionRow[] | null;
    readonly checkpoint: string | null;
  };
  return {
    now,
    execution: fromRow(execution, execution.waits),
    subject: execution.subject === null ? undefined : fromText(execution.subject),
    journal: (journal ?? []).map((entry) =>
      typeof entry === 'string' ? fromStoredEntry(entry, null) : fromStoredEntry(...entry),
    ),
    children: (children ?? []).map((child) => fromRow(child, execution.waits)),
    claimsWithoutCommit: execution.claims_without_commit,
    ...(checkpoint !== null && { checkpoint: parsed<JsonValue>(checkpoint) }),
  };
}

/** Selects the events of an execution, `execution_events as v`, as JSON. Null: there are none. */
export const eventsJson: AliasedRawBuilder<string | null, 'events'> = sql<
  string | null
>`json_agg(case when v.value_of is null then to_json(v.event) else json_build_array(v.event, v.value_of) end order by v.seq)::text`.as(
  'events',
);

/** @param json the result of {@link eventsJson} for all events up to some number. */
export function toEvents(json: string | null): readonly ExecutionEvent[] {
  const events = parsed<readonly (string | readonly [event: string, valueOf: number])[]>(json ?? '[]');
  const textOf = (seq: number): string => {
    const event = events[seq - 1] ?? '';
    return typeof event === 'string' ? event : event[0];
  };
  return events.map((event, index) => ({
    seq: index + 1,
    event: typeof event === 'string' ? fromStoredEvent(event, null) : fromStoredEvent(event[0], textOf(event[1])),
  }));
}

function fromRow(row: ExecutionRow, rootWaits: readonly StoredWait[]): Execution {
  return {
    id: fromText(row.id),
    creationId: fromText(row.request_id ?? row.id),
    workflowId: fromText(row.workflow_id),
    workflowName: fromText(row.workflow_name),
    status: row.status,
    definition: fromText(row.definition),
    priority: row.priority,
    concurrency:
      row.concurrency_key === null ? null : { key: fromText(row.concurrency_key), limit: row.concurrency_limit ?? 1 },
    waitingSince: row.waiting_since,
    quarantinedAt: row.quarantined_at,
    parentExecutionId: row.parent_id === null ? null : fromText(row.parent_id),
    rootExecutionId: fromText(row.root_id),
    path: fromText(row.path),
    input: parsed(row.input),
    context: parsed(row.context),
    workflowState: toState(row.state),
    metadata: parsed(row.metadata),
    userId: row.user_id === null ? undefined : fromText(row.user_id),
    conversationId: row.conversation_id === null ? undefined : fromText(row.conversation_id),
    user: row.user_snapshot === null ? undefined : parsed(row.user_snapshot),
    ...(row.output !== null && { output: parsed(row.output) }),
    ...(row.error !== null && { error: parsed(row.error) }),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    endedAt: row.ended_at,
    seq: row.seq,
    suspensions: toSuspensions(rootWaits, row.parent_id === null ? undefined : row.path),
    resumptions: toResumptions(row.waits),
    timers: toTimers(row.waits),
    request: row.request_kind && { kind: row.request_kind, reason: fromText(row.request_reason ?? '') },
    rewinds: row.rewinds.map(({ newKeys, paths, seq }) => ({
      paths: paths.map(fromText),
      ...(newKeys !== undefined && { newKeys: newKeys.map(fromText) }),
      seq,
    })),
    signals: row.signals,
    epoch: row.epoch,
    runner: row.runner === null ? null : fromText(row.runner),
  };
}

function toState(fields: ExecutionRow['state']): JsonObject {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [fromText(key), parsed(value)]));
}

function parsed<Value>(json: string): Value {
  return JSON.parse(json) as Value;
}
