import {
  type Backlog,
  type ClaimedExecution,
  type ClaimNextOptions,
  type ClaimOptions,
  type Commit,
  type CommitOutcome,
  type CreateOptions,
  type CreateOutcome,
  type EventDelivery,
  type EventRange,
  type Execution,
  type ExecutionEvent,
  type ExecutionFilter,
  type ExecutionPage,
  type ExecutionRequest,
  type ExecutionStore,
  HalyardError,
  type Job,
  type JournalEntry,
  type Lease,
  type NewExecution,
  type NewPublishedEvent,
  type NextExecutions,
  type Owner,
  type Publication,
  type Quarantine,
  type ResumeRequest,
  type RewindRequest,
  type Runner,
  type Termination,
} from '@halyard/contracts';
import { Batcher } from '../connection/batcher.ts';
import type { Database } from '../connection/database.ts';
import type { Notifications } from '../connection/notifications.ts';
import { isOwnedBy, ownerParameter } from '../connection/sql-fragments.ts';
import { storageUnavailable } from '../connection/storage-unavailable.ts';
import { fromText, toText } from '../connection/text-codec.ts';
import { whileBusy } from '../connection/while-busy.ts';
import { claimNext } from './claims/claim-next.ts';
import { dueElsewhere, readBacklog } from './claims/due-executions.ts';
import { listRunners } from './claims/list-runners.ts';
import { type HeldExecution, renewLease } from './claims/renew-lease.ts';
import type { RunnerSessions } from './claims/runner-sessions.ts';
import { supersedeExecutions } from './claims/supersede-executions.ts';
import { purgeExecutions } from './deletions/purge-executions.ts';
import { listExecutions } from './reads/list-executions.ts';
import { readEvents } from './reads/read-events.ts';
import { readHistories } from './reads/read-histories.ts';
import { deliverPendingEvents, publishEvent, purgeEvents } from './requests/publish-event.ts';
import { requestExecution } from './requests/request-execution.ts';
import { resumeExecution } from './requests/resume-execution.ts';
import { terminateExecution } from './requests/terminate-execution.ts';
import { rootWaitsJson, rowJson, toClaimedExecution, toExecution } from './rows/execution-rows.ts';
import { fromStoredEntry } from './rows/shared-outputs.ts';
import { toClaimJson, toCommitJson, toCreateJson, toQuarantineJson, toRewindJson } from './rows/sql-arguments.ts';

/** How long to try again when another transaction has locked the row or the key. */
const createTimeoutMs = 5_000;
const claimTimeoutMs = 200;
const commitTimeoutMs = 5_000;

/** A row that the SQL function `commit_executions` returns. */
interface CommitRow {
  readonly status: 'committed' | 'signalled' | 'fenced' | 'rejected' | 'busy';
  readonly signals: number;
  readonly seq: number;
  /** JSON: the last event's number of each sub-workflow in the commit, by id. */
  readonly child_seqs: string | null;
}

/** A row that the SQL function `rewind_execution` returns. */
interface RewoundRow {
  readonly id: string;
  readonly has_freed_place: boolean;
}

/**
 * Executions in PostgreSQL, for any number of processes. Each method is one statement, or one
 * transaction that locks the row of the root first.
 *
 * Creating, claiming and committing call SQL functions that take a batch. Calls that arrive while a
 * batch is in flight share the next one, and so one transaction. A row that another transaction has
 * locked is skipped and tried again, so that it delays no other. Each can be retried: a repeated
 * creation or commit is recognised by its request id or commit id, and a claim whose result was
 * lost ends with its lease.
 */
export class PostgresExecutionStore implements ExecutionStore {
  readonly #database: Database;
  readonly #notifications: Notifications;
  readonly #sessions: RunnerSessions;
  readonly #creates: Batcher<string>;
  readonly #claims: Batcher<string | null>;
  readonly #commits: Batcher<CommitRow>;

  constructor(database: Database, notifications: Notifications, sessions: RunnerSessions) {
    this.#database = database;
    this.#notifications = notifications;
    this.#sessions = sessions;
    this.#creates = new Batcher(
      (items) => database.callScalar('create_executions', [toJsonList(items), database.shiftMs]),
      { concurrency: 1 },
    );
    this.#claims = new Batcher(
      (items) => database.callScalar('claim_executions', [toJsonList(items), database.shiftMs]),
      { concurrency: 1 },
    );
    this.#commits = new Batcher((items) => database.call('commit_executions', [toJsonList(items), database.shiftMs]), {
      concurrency: 2,
    });
  }

  async create(execution: NewExecution, options: CreateOptions): Promise<CreateOutcome | ClaimedExecution> {
    if (options.claim !== undefined) await this.#sessions.open(options.claim.runner);
    const json = toCreateJson(execution, options);
    const outcome = await whileBusy(
      () => this.#creates.add(execution.id, json),
      (result) => result === 'busy',
      createTimeoutMs,
    );
    if (outcome === 'busy')
      throw storageUnavailable(new Error(`Others start executions with the keys of ${execution.id}`));
    if (outcome === 'taken' || outcome === 'skipped' || outcome === 'full') return outcome;
    this.#notifications.notify(execution.id, 'commit');
    return outcome === 'created' ? outcome : toClaimedExecution(outcome);
  }

  async find(owner: Owner, id: string): Promise<Execution | undefined> {
    const row = await this.#database.read((db) =>
      db
        .selectFrom('executions as e')
        .leftJoin('executions as r', 'r.key', 'e.root_key')
        .select([rowJson, rootWaitsJson])
        .where('e.id', '=', toText(id))
        .where(isOwnedBy(owner, 'e.user_id'))
        .executeTakeFirst(),
    );
    return row && toExecution(row);
  }

  async list(owner: Owner, filter: ExecutionFilter): Promise<ExecutionPage> {
    return listExecutions(this.#database, owner, filter);
  }

  async journal(owner: Owner, id: string): Promise<readonly JournalEntry[]> {
    const rows = await this.#database.read((db) =>
      db
        .selectFrom('executions as e')
        .innerJoin('execution_journal as j', 'j.root_key', 'e.key')
        .leftJoin('execution_events as o', (join) =>
          join.onRef('o.execution_key', '=', 'j.root_key').onRef('o.seq', '=', 'j.output_of'),
        )
        .select(['j.entry', 'o.event as source'])
        .where('e.id', '=', toText(id))
        .where('e.root_key', 'is', null)
        .where(isOwnedBy(owner, 'e.user_id'))
        .orderBy('j.position')
        .execute(),
    );
    return rows.map(({ entry, source }) => fromStoredEntry(entry, source));
  }

  async events(owner: Owner, id: string, range: EventRange): Promise<readonly ExecutionEvent[]> {
    return readEvents(this.#database, owner, id, range);
  }

  async histories(
    owner: Owner,
    ids: readonly string[],
    limit: number,
    maxBytes?: number,
  ): Promise<ReadonlyMap<string, readonly ExecutionEvent[]>> {
    return readHistories(this.#database, owner, ids, { limit, maxBytes });
  }

  async claim(id: string, lease: Lease, options: ClaimOptions = {}): Promise<ClaimedExecution | undefined> {
    await this.#sessions.open(lease.runner);
    const json = await whileBusy(
      () => this.#claims.add(toText(id), toClaimJson(id, lease, options)),
      (result) => result === 'busy',
      claimTimeoutMs,
    );
    if (json === null || json === 'busy') return undefined;
    this.#notifications.notify(id, 'commit');
    return toClaimedExecution(json);
  }

  async claimNext(lease: Lease, options: ClaimNextOptions): Promise<NextExecutions> {
    await this.#sessions.open(lease.runner);
    const next = await claimNext(this.#database, lease, options);
    for (const { execution } of next.claimed) this.#notifications.notify(execution.id, 'commit');
    return next;
  }

  async quarantine(id: string, quarantine: Quarantine): Promise<boolean> {
    const parameters = [toQuarantineJson(id, quarantine), this.#database.shiftMs];
    const [isQuarantined = false] = await this.#database.callScalar<boolean>('quarantine_execution', parameters);
    if (!isQuarantined) return false;
    this.#notifications.notify(id, 'commit');
    this.#notifications.announceDue();
    return true;
  }

  async renew(held: readonly HeldExecution[], lease: Lease): Promise<readonly string[]> {
    await this.#sessions.open(lease.runner);
    return renewLease(this.#database, held, lease);
  }

  async commit(commit: Commit): Promise<CommitOutcome> {
    const { executionId } = commit;
    const json = toCommitJson(commit);
    const row = await whileBusy(
      () => this.#commits.add(toText(executionId), json),
      ({ status }) => status === 'busy',
      commitTimeoutMs,
    );
    switch (row.status) {
      case 'busy':
        throw storageUnavailable(new Error(`Another transaction has locked the execution ${executionId}`));
      case 'fenced':
      case 'signalled':
        return { status: row.status };
      case 'rejected':
        throw new HalyardError(
          'internal',
          'INTERNAL',
          `A commit of ${executionId} changes an execution that is not part of it`,
        );
      case 'committed':
        this.#notifications.notify(executionId, 'commit');
        // It may have received an event that was published before.
        if (commit.suspensions.some(({ event }) => event !== undefined))
          this.#notifications.notify(executionId, 'signal');
        for (const { id } of commit.changes) if (id !== executionId) this.#notifications.notify(id, 'commit');
        return toCommitted(row);
      default:
        return row.status satisfies never;
    }
  }

  async resume(owner: Owner, resume: ResumeRequest): Promise<'resumed' | 'not-suspended'> {
    const suspended = await resumeExecution(this.#database, owner, resume);
    if (suspended === undefined) return 'not-suspended';
    this.#notifications.notify(resume.executionId, 'signal');
    if (suspended !== resume.executionId) this.#notifications.notify(suspended, 'signal');
    return 'resumed';
  }

  async publish(owner: Owner, event: NewPublishedEvent): Promise<Publication> {
    return publishEvent(this.#database, this.#notifications, owner, event);
  }

  async deliverPending(limit: number): Promise<readonly EventDelivery[]> {
    return deliverPendingEvents(this.#database, this.#notifications, limit);
  }

  async request(owner: Owner, id: string, request: ExecutionRequest): Promise<'requested' | 'idle' | 'not-found'> {
    const outcome = await requestExecution(this.#database, owner, id, request);
    if (outcome === 'requested') this.#notifications.notify(id, 'signal');
    return outcome;
  }

  async terminate(owner: Owner, id: string, events: Termination): ReturnType<ExecutionStore['terminate']> {
    const { hasFreedPlace, ids, outcome } = await terminateExecution(this.#database, owner, id, events);
    // The runner reads its row at a signal, and finds that it has lost it.
    for (const ended of ids) this.#notifications.notify(ended, 'signal');
    if (hasFreedPlace) this.#notifications.announceDue();
    return outcome;
  }

  async rewind(owner: Owner, rewind: RewindRequest): Promise<'rewound' | 'outdated'> {
    const parameters = [ownerParameter(owner), toRewindJson(rewind), this.#database.shiftMs];
    // A second call would find that the execution has changed.
    const rewound = await this.#database.call<RewoundRow>('rewind_execution', parameters, { retry: false });
    for (const { id } of rewound) this.#notifications.notify(fromText(id), 'signal');
    if (rewound.some(({ has_freed_place: hasFreedPlace }) => hasFreedPlace)) this.#notifications.announceDue();
    return rewound.length > 0 ? 'rewound' : 'outdated';
  }

  async supersede(id: string, reason: string): Promise<readonly Job[]> {
    const superseded = await supersedeExecutions(this.#database, id, reason);
    for (const { executionId } of superseded) this.#notifications.notify(executionId, 'signal');
    return superseded;
  }

  async backlog(definitions: readonly string[], limit: number): Promise<Backlog> {
    return readBacklog(this.#database, definitions, limit);
  }

  async dueElsewhere(
    workflowIds: readonly string[],
    definitions: readonly string[],
    limit: number,
  ): ReturnType<ExecutionStore['dueElsewhere']> {
    return dueElsewhere(this.#database, workflowIds, definitions, limit);
  }

  async runners(): Promise<readonly Runner[]> {
    return listRunners(this.#database);
  }

  watch(id: string, listener: (change: 'commit' | 'signal') => void): () => void {
    return this.#notifications.watch(id, listener);
  }

  announceDue(): void {
    this.#notifications.announceDue();
  }

  watchDue(listener: () => void): () => void {
    return this.#notifications.watchDue(listener);
  }

  async purge(olderThanMs: number, limit: number): Promise<number> {
    return purgeExecutions(this.#database, olderThanMs, limit);
  }

  async purgeEvents(olderThanMs: number, limit: number): Promise<number> {
    return purgeEvents(this.#database, olderThanMs, limit);
  }
}

function toJsonList(items: readonly string[]): string {
  return `[${items.join()}]`;
}

function toCommitted({ child_seqs, seq, signals }: CommitRow): CommitOutcome {
  if (child_seqs === null) return { status: 'committed', signals, seq };
  const childSeqs = Object.entries(JSON.parse(child_seqs) as Readonly<Record<string, number>>);
  return {
    status: 'committed',
    signals,
    seq,
    childSeqs: Object.fromEntries(childSeqs.map(([id, last]) => [fromText(id), last])),
  };
}
