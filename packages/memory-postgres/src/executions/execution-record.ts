import type {
  Execution,
  ExecutionError,
  ExecutionRequest,
  ExecutionStatus,
  JsonObject,
  JsonValue,
  Resumption,
  Rewind,
  Suspension,
  Timer,
} from '@halyard/contracts';
import { type AliasedRawBuilder, sql } from 'kysely';
import { fromText } from '../connection/text-codec.ts';
import { fromStateMembers, type StateMembers } from './state-members.ts';
import type { StoredRewind, StoredWait } from './stored-wait.ts';

/** The row of `executions as e`, as text. */
export const rowJson: AliasedRawBuilder<string, 'row'> = sql<string>`row_to_json(e)::text`.as('row');
/** What the root waits for, `executions as r`, where that is another row. */
export const rootWaitsJson: AliasedRawBuilder<string | null, 'root_waits'> = sql<string | null>`r.waits::text`.as(
  'root_waits',
);

interface SelectedRow {
  readonly row: string;
  readonly root_waits: string | null;
}

/** A row of `executions`, as the database's `row_to_json` gives it: the same from every driver, whatever an app has it parse. */
export interface ExecutionRow {
  readonly id: string;
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
  readonly runner: string | null;
  readonly epoch: number;
  readonly fruitless_claims: number;
  readonly seq: number;
  readonly signals: number;
  readonly request_kind: ExecutionRequest['kind'] | null;
  readonly request_reason: string | null;
  readonly waits: readonly StoredWait[];
  readonly rewinds: readonly StoredRewind[];
  readonly state: StateMembers;
  readonly input: string;
  readonly context: string;
  readonly metadata: string;
  readonly user_snapshot: string | null;
  readonly output: string | null;
  readonly error: string | null;
}

/** @param rootWaits of a sub-workflow: what its root waits for. */
export function executionRecord(row: ExecutionRow, rootWaits: readonly StoredWait[] = row.waits): Execution {
  return new ExecutionRecord(row, rootWaits);
}

/** The same of a query that selects {@link rowJson} and {@link rootWaitsJson}. */
export function selectedExecution({ root_waits, row }: SelectedRow): Execution {
  const rootWaits = root_waits === null ? undefined : (JSON.parse(root_waits) as readonly StoredWait[]);
  return executionRecord(JSON.parse(row) as ExecutionRow, rootWaits);
}

class ExecutionRecord implements Execution {
  readonly id: string;
  readonly workflowId: string;
  readonly workflowName: string;
  readonly status: ExecutionStatus;
  readonly parentExecutionId: string | null;
  readonly rootExecutionId: string;
  readonly path: string;
  readonly input: JsonValue;
  readonly context: JsonObject;
  readonly workflowState: JsonObject;
  readonly metadata: JsonObject;
  readonly userId: string | undefined;
  readonly conversationId: string | undefined;
  readonly user: JsonObject | undefined;
  // Declared only: where there is none, there is no such key.
  declare readonly output?: JsonValue;
  declare readonly error?: ExecutionError;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly endedAt: number | null;
  readonly seq: number;
  readonly suspensions: readonly Suspension[];
  readonly resumptions: readonly Resumption[];
  readonly timers: readonly Timer[];
  readonly request: ExecutionRequest | null;
  readonly rewinds: readonly Rewind[];
  readonly signals: number;
  readonly epoch: number;
  readonly runner: string | null;

  constructor(row: ExecutionRow, rootWaits: readonly StoredWait[]) {
    this.id = fromText(row.id);
    this.workflowId = fromText(row.workflow_id);
    this.workflowName = fromText(row.workflow_name);
    this.status = row.status;
    this.parentExecutionId = row.parent_id === null ? null : fromText(row.parent_id);
    this.rootExecutionId = fromText(row.root_id);
    this.path = fromText(row.path);
    this.input = parsed(row.input);
    this.context = parsed(row.context);
    this.workflowState = fromStateMembers(row.state);
    this.metadata = parsed(row.metadata);
    this.userId = row.user_id === null ? undefined : fromText(row.user_id);
    this.conversationId = row.conversation_id === null ? undefined : fromText(row.conversation_id);
    this.user = row.user_snapshot === null ? undefined : parsed(row.user_snapshot);
    if (row.output !== null) this.output = parsed(row.output);
    if (row.error !== null) this.error = parsed(row.error);
    this.createdAt = row.created_at;
    this.updatedAt = row.updated_at;
    this.endedAt = row.ended_at;
    this.seq = row.seq;
    this.suspensions = row.parent_id === null ? suspensionsOf(rootWaits) : suspensionsBelow(rootWaits, row.path);
    this.resumptions = waitsOf<Resumption>(row.waits, 'resumption');
    this.timers = waitsOf<Timer>(row.waits, 'timer');
    this.request = row.request_kind && { kind: row.request_kind, reason: fromText(row.request_reason ?? '') };
    this.rewinds = row.rewinds.map(({ paths, seq }) => ({ paths: paths.map(fromText), seq }));
    this.signals = row.signals;
    this.epoch = row.epoch;
    this.runner = row.runner === null ? null : fromText(row.runner);
  }
}

const none: readonly never[] = Object.freeze([]);

function parsed<Value>(json: string): Value {
  return JSON.parse(json) as Value;
}

function suspensionsBelow(waits: readonly StoredWait[], path: string): readonly Suspension[] {
  const below = `${path}/`;
  return suspensionsOf(waits.filter((wait) => wait.path.startsWith(below)));
}

function suspensionsOf(waits: readonly StoredWait[]): readonly Suspension[] {
  return waitsOf<Suspension>(waits, 'suspension').toSorted((one, other) => one.suspendedAt - other.suspendedAt);
}

function waitsOf<Item>(waits: readonly StoredWait[], kind: StoredWait['kind']): readonly Item[] {
  if (waits.length === 0) return none;
  return waits
    .filter((wait) => wait.kind === kind)
    .map(({ path, value }) => ({ path: fromText(path), ...parsed<object>(value) }) as Item);
}
