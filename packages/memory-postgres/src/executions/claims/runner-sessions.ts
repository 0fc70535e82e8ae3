import { randomBytes } from 'node:crypto';
import type { Logger } from '@halyard/contracts';
import { sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import type { ListeningConnection } from '../../connection/listen.ts';
import type { Notifications } from '../../connection/notifications.ts';
import { toText } from '../../connection/text-codec.ts';

/** The time between two looks at the sessions of other processes. */
const lookMs = 900;
/**
 * How long a process may take to come back whose connection broke. It needs a few round trips, and
 * a free connection. With a look before, a takeover stays within 2 s.
 */
const graceMs = 1_000;

/** The session of this process. */
interface Session {
  readonly connection: ListeningConnection;
  /** The key of its lock. */
  readonly lockKey: string;
  /** For how many runners the lock is held. */
  runners: number;
  /** Whether a statement runs on the connection. */
  isBusy: boolean;
}

/**
 * Ends the leases of processes that have died, before they run out. A process holds an advisory
 * lock in the session in which it listens for notifications, which PostgreSQL frees when the
 * process dies. While it has no such session, such as behind some poolers or while its connection
 * is broken, its lease is the rule.
 *
 * A process that was taken for dead loses its executions as one whose lease has run out.
 */
export class RunnerSessions {
  readonly #database: Database;
  readonly #notifications: Notifications;
  readonly #logger: Logger;
  readonly #runners = new Set<string>();
  #session: Session | undefined;
  #opened: Promise<void> | undefined;
  #unwatch: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(database: Database, notifications: Notifications, logger: Logger) {
    this.#database = database;
    this.#notifications = notifications;
    this.#logger = logger;
  }

  /**
   * To be called before a runner of this process requests a lease. Nothing else may request one.
   */
  async open(runner: string): Promise<void> {
    if (!this.#runners.has(runner)) {
      this.#runners.add(runner);
      void this.#hold();
    }
    this.#opened ??= this.#open();
    const opened = this.#opened;
    try {
      await opened;
    } catch (error) {
      // The next call tries again.
      if (this.#opened === opened) this.#opened = undefined;
      throw error;
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#unwatch?.();
    clearTimeout(this.#timer);
  }

  async #open(): Promise<void> {
    const opened = await this.#database.run(async () => this.#database.whenOpened());
    if (opened === undefined || this.#isClosed) return;
    if (!opened.isShared) {
      await this.#database.callScalar('end_leases', [this.#database.shiftMs]);
      return;
    }
    this.#unwatch ??= this.#notifications.watchSession((connection) => this.#replaceSession(connection));
    void this.#look();
  }

  #replaceSession(connection: ListeningConnection | undefined): void {
    const before = this.#session;
    const lockKey = String(randomBytes(8).readBigInt64BE());
    this.#session = connection && { connection, lockKey, runners: 0, isBusy: false };
    if (before !== undefined) void this.#leave(before);
    void this.#hold();
  }

  /** Takes the lock of the session, one statement at a time. */
  async #hold(): Promise<void> {
    const session = this.#session;
    if (session === undefined || session.isBusy) return;
    const { connection, lockKey } = session;
    session.isBusy = true;
    try {
      while (session.runners < this.#runners.size) {
        const runners = [...this.#runners];
        await connection.query(`select ${this.#database.schema}.hold_session($1, $2)`, [runners.map(toText), lockKey]);
        session.runners = runners.length;
      }
    } catch (error) {
      this.#logger.debug({ err: error }, 'The lock of this process could not be taken; retrying');
    }
    session.isBusy = false;
  }

  /**
   * The connection broke, and this process lives: its lease is the rule until it has another
   * session.
   */
  async #leave({ lockKey }: Session): Promise<void> {
    if (this.#isClosed) return;
    const sessions = sql.raw(`${this.#database.schema}.runner_sessions`);
    try {
      await this.#database.run((db) => sql`delete from ${sessions} where lock_key = ${lockKey}`.execute(db), {
        retry: true,
      });
    } catch (error) {
      this.#logger.debug({ err: error }, 'The lost lock of this process could not be removed');
    }
  }

  async #look(): Promise<void> {
    let waitMs = lookMs;
    try {
      const parameters = [[...this.#runners].map(toText), graceMs, this.#database.shiftMs];
      const lost = await this.#database.callScalar<boolean>('end_lost_runners', parameters);
      if (lost.includes(true)) this.#notifications.announceEnd();
      if (lost.includes(false)) waitMs = graceMs;
    } catch (error) {
      this.#logger.debug({ err: error }, 'The sessions of other processes could not be read; retrying');
    }
    void this.#hold();
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#look(), waitMs).unref();
  }
}
