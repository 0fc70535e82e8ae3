import {
  type ClaimedExecution,
  type Commit,
  type CommitOutcome,
  type CreateOptions,
  type Execution,
  type ExecutionEvent,
  type ExecutionFilter,
  type ExecutionRequest,
  type ExecutionStore,
  HalyardError,
  type Job,
  type JournalEntry,
  type Lease,
  type NewExecution,
  type NewExecutionEvent,
  type Owner,
  type ResumeRequest,
  type RewindRequest,
} from '@halyard/contracts';
import { sql } from 'kysely';
import { Batcher } from '../connection/batcher.ts';
import type { Database } from '../connection/database.ts';
import type { Notifications } from '../connection/notifications.ts';
import { ofOwner } from '../connection/of-owner.ts';
import { fromText, toText } from '../connection/text-codec.ts';
import { claimedExecution } from './claimed-execution.ts';
import { createDelayed } from './create-delayed.ts';
import { dueExecutions, nextDue } from './due-executions.ts';
import { sentClaim, sentCommit, sentExecution } from './execution-json.ts';
import { rootWaitsJson, rowJson, selectedExecution } from './execution-record.ts';
import { listExecutions } from './list-executions.ts';
import { purgeExecutions } from './purge-executions.ts';
import { requestExecution } from './request-execution.ts';
import { resumeExecution } from './resume-execution.ts';
import { rewindExecution } from './rewind-execution.ts';

interface CommitAnswer {
  readonly status: 'committed' | 'signalled' | 'fenced' | 'rejected';
  readonly signals: number;
  readonly seq: number;
  readonly child_seqs: string | null;
}

const fenced: CommitOutcome = { status: 'fenced' };
const signalled: CommitOutcome = { status: 'signalled' };

/**
 * Executions in PostgreSQL, for any number of processes. Each method is one statement, or one transaction that holds the row of the root first.
 *
 * What is written while another write is under way goes with others into one transaction: {@link Batcher}.
 */
export class PostgresExecutionStore implements ExecutionStore {
  readonly #database: Database;
  readonly #notifications: Notifications;
  readonly #creates: Batcher<'created' | 'taken'>;
  readonly #claims: Batcher<string | null>;
  readonly #commits: Batcher<CommitAnswer>;

  constructor(database: Database, notifications: Notifications) {
    this.#database = database;
    this.#notifications = notifications;
    this.#creates = new Batcher(
      async (items) => valuesOf(await this.#call<{ value: 'created' | 'taken' }>('create_executions', items, 'value')),
      { lanes: 1 },
    );
    this.#claims = new Batcher(
      async (items) => valuesOf(await this.#call<{ value: string | null }>('claim_executions', items, 'value')),
      { lanes: 1 },
    );
    this.#commits = new Batcher((items) => this.#call<CommitAnswer>('commit_executions', items), { lanes: 2 });
  }

  async create(execution: NewExecution, options: CreateOptions): Promise<'created' | 'taken'> {
    const { dueInMs = 0 } = options;
    const answer =
      dueInMs > 0
        ? await createDelayed(this.#database, execution, { ...options, dueInMs })
        : await this.#creates.add('', sentExecution(execution, options));
    if (answer === 'created') this.#notifications.tell(execution.id, 'commit');
    return answer;
  }

  async find(owner: Owner, id: string): Promise<Execution | undefined> {
    const row = await this.#database.read((db) =>
      db
        .selectFrom('executions as e')
        .leftJoin('executions as r', 'r.key', 'e.root_key')
        .select([rowJson, rootWaitsJson])
        .where('e.id', '=', toText(id))
        .where(ofOwner(owner))
        .executeTakeFirst(),
    );
    return row && selectedExecution(row);
  }

  async list(
    owner: Owner,
    filter: ExecutionFilter,
  ): Promise<{ readonly executions: readonly Execution[]; readonly total: number }> {
    return listExecutions(this.#database, owner, filter);
  }

  async journal(owner: Owner, id: string): Promise<readonly JournalEntry[]> {
    const rows = await this.#database.read((db) =>
      db
        .selectFrom('executions as e')
        .innerJoin('execution_journal as j', 'j.root_key', 'e.key')
        .select('j.entry')
        .where('e.id', '=', toText(id))
        .where('e.root_key', 'is', null)
        .where(ofOwner(owner))
        .orderBy('j.position')
        .execute(),
    );
    return rows.map(({ entry }) => JSON.parse(entry) as JournalEntry);
  }

  async events(
    owner: Owner,
    id: string,
    { after, limit }: { readonly after: number; readonly limit: number },
  ): Promise<readonly ExecutionEvent[]> {
    const rows = await this.#database.read((db) =>
      db
        .selectFrom('executions as e')
        .innerJoin('execution_events as v', 'v.execution_key', 'e.key')
        .select(['v.seq', 'v.event'])
        .where('e.id', '=', toText(id))
        .where(ofOwner(owner))
        .where('v.seq', '>', after)
        .orderBy('v.seq')
        .limit(limit)
        .execute(),
    );
    return rows.map(({ event, seq }) => ({ seq, event: JSON.parse(event) as NewExecutionEvent }));
  }

  async histories(
    owner: Owner,
    ids: readonly string[],
    limit: number,
  ): Promise<ReadonlyMap<string, readonly ExecutionEvent[]>> {
    if (ids.length === 0) return new Map();
    const rows = await this.#database.read((db) =>
      db
        .selectFrom('executions as e')
        .select((eb) => [
          'e.id',
          eb
            .selectFrom('execution_events as v')
            .select(sql<string>`json_agg(v.event order by v.seq)::text`.as('events'))
            .whereRef('v.execution_key', '=', 'e.key')
            .where('v.seq', '<=', limit)
            .as('events'),
        ])
        .where('e.id', '=', sql<string>`any(${ids.map(toText)}::text[])`)
        .where(ofOwner(owner))
        .execute(),
    );
    return new Map(
      rows.map(({ events, id }) => {
        const texts = JSON.parse(events ?? '[]') as readonly string[];
        return [
          fromText(id),
          texts.map((text, index) => ({ seq: index + 1, event: JSON.parse(text) as NewExecutionEvent })),
        ];
      }),
    );
  }

  async claim(id: string, lease: Lease): Promise<ClaimedExecution | undefined> {
    const json = await this.#claims.add(toText(id), sentClaim(id, lease));
    if (json === null) return undefined;
    this.#notifications.tell(id, 'commit');
    return claimedExecution(json);
  }

  async renew(
    held: readonly { readonly executionId: string; readonly epoch: number }[],
    { leaseMs }: Lease,
  ): Promise<readonly string[]> {
    const values = held.map(({ executionId, epoch }) => ({ id: toText(executionId), epoch }));
    // Rows are held in one order everywhere: by id.
    const rows = await this.#database.query<{ id: string }>(
      `with held as materialized (
        select e.key from ${this.#table} e
        join jsonb_to_recordset($1::jsonb) as h (id text, epoch integer) on h.id = e.id and h.epoch = e.epoch
        where e.runner is not null order by e.id collate "C" for update of e
      )
      update ${this.#table} e set wants_runner_at = floor(extract(epoch from clock_timestamp()) * 1000)::bigint + $2::bigint
      from held where e.key = held.key returning e.id`,
      [JSON.stringify(values), Math.ceil(leaseMs) + this.#database.shiftMs],
    );
    const renewed = new Set(rows.map(({ id }) => id));
    return held.map(({ executionId }) => executionId).filter((id) => !renewed.has(toText(id)));
  }

  async commit(commit: Commit): Promise<CommitOutcome> {
    const { executionId } = commit;
    const answer = await this.#commits.add(toText(executionId), sentCommit(commit));
    switch (answer.status) {
      case 'fenced':
        return fenced;
      case 'signalled':
        return signalled;
      case 'rejected':
        throw new HalyardError('internal', 'INTERNAL', `A commit of ${executionId} changes what is not a part of it`);
      case 'committed':
        this.#notifications.tell(executionId, 'commit');
        for (const { id } of commit.changes) if (id !== executionId) this.#notifications.tell(id, 'commit');
        return committed(answer);
      default:
        return answer.status satisfies never;
    }
  }

  async resume(owner: Owner, resume: ResumeRequest): Promise<'resumed' | 'not-suspended'> {
    const answered = await resumeExecution(this.#database, owner, resume);
    if (answered === undefined) return 'not-suspended';
    this.#notifications.tell(resume.executionId, 'signal');
    if (answered !== resume.executionId) this.#notifications.tell(answered, 'signal');
    return 'resumed';
  }

  async request(owner: Owner, id: string, request: ExecutionRequest): Promise<'requested' | 'idle' | 'not-found'> {
    const outcome = await requestExecution(this.#database, owner, id, request);
    if (outcome === 'requested') this.#notifications.tell(id, 'signal');
    return outcome;
  }

  async rewind(owner: Owner, rewind: RewindRequest): Promise<'rewound' | 'outdated'> {
    const rewound = await rewindExecution(this.#database, owner, rewind);
    for (const id of rewound) this.#notifications.tell(id, 'signal');
    return rewound.length > 0 ? 'rewound' : 'outdated';
  }

  async due(workflowIds: readonly string[], limit: number): Promise<readonly Job[]> {
    return dueExecutions(this.#database, workflowIds, limit);
  }

  async nextDue(): Promise<number | undefined> {
    return nextDue(this.#database);
  }

  watch(id: string, listener: (change: 'commit' | 'signal') => void): () => void {
    return this.#notifications.watch(id, listener);
  }

  async purge(olderThanMs: number, limit: number): Promise<number> {
    return purgeExecutions(this.#database, olderThanMs, limit);
  }

  get #table(): string {
    return `${this.#database.schema}.executions`;
  }

  /** Calls a function that takes a batch. Each bears to be sent twice: by request id, by commit id, or because it finds itself done. */
  async #call<Row>(name: string, items: readonly string[], alias = 'answer'): Promise<readonly Row[]> {
    return this.#database.query<Row>(
      `select * from ${this.#database.schema}.${name}($1, $2) as ${alias}`,
      [`[${items.join()}]`, this.#database.shiftMs],
      { bearsTwice: true },
    );
  }
}

function valuesOf<Value>(rows: readonly { readonly value: Value }[]): readonly Value[] {
  return rows.map(({ value }) => value);
}

function committed({ child_seqs, seq, signals }: CommitAnswer): CommitOutcome {
  if (child_seqs === null) return { status: 'committed', signals, seq };
  const childSeqs = Object.entries(JSON.parse(child_seqs) as Readonly<Record<string, number>>);
  return {
    status: 'committed',
    signals,
    seq,
    childSeqs: Object.fromEntries(childSeqs.map(([id, last]) => [fromText(id), last])),
  };
}
