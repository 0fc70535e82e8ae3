import type { DeletedUserData, UserDataStore, UserRecord } from '@halyard/contracts';
import type { Database } from '../connection/database.ts';
import type { Notifications } from '../connection/notifications.ts';
import { fromText, toText } from '../connection/text-codec.ts';
import { deleteHistories } from '../executions/deletions/purge-executions.ts';
import type { PostgresStreamStore } from '../streams/postgres-stream-store.ts';
import { exportUser } from './export-user.ts';

/** How many conversations, and how many executions, one transaction deletes. */
const batchSize = 50;

/** A row that the SQL function `delete_user` returns. */
interface DeletedBatch extends DeletedUserData {
  /** JSON: the ids of deleted executions that had not ended. */
  readonly stopped: string | null;
}

/**
 * The data of one user. Exports read page by page. Deletions run in several transactions; call them
 * again when one fails.
 */
export class PostgresUserDataStore implements UserDataStore {
  readonly #database: Database;
  readonly #notifications: Notifications;
  readonly #streams: PostgresStreamStore;

  constructor(database: Database, notifications: Notifications, streams: PostgresStreamStore) {
    this.#database = database;
    this.#notifications = notifications;
    this.#streams = streams;
  }

  export(userId: string): AsyncIterable<UserRecord> {
    return exportUser(this.#database, userId);
  }

  async delete(userId: string): Promise<DeletedUserData> {
    await this.#streams.deleteUser(userId);
    await this.#database.run((db) => db.deleteFrom('published_events').where('user_id', '=', toText(userId)).execute());
    await this.#database.run((db) => db.deleteFrom('open_approvals').where('user_id', '=', toText(userId)).execute());
    let [conversations, messages, executions] = [0, 0, 0];
    for (;;) {
      const [batch] = await this.#database.call<DeletedBatch>('delete_user', [
        toText(userId),
        batchSize,
        this.#database.shiftMs,
      ]);
      if (batch === undefined) break;
      conversations += batch.conversations;
      messages += batch.messages;
      executions += batch.executions;
      const stopped = JSON.parse(batch.stopped ?? '[]') as readonly string[];
      for (const id of stopped) this.#notifications.notify(fromText(id), 'commit');
      // Others may have waited for their places.
      if (stopped.length > 0) this.#notifications.announceDue();
      await deleteHistories(this.#database);
      // A batch may have only executions of one kind.
      if (batch.conversations < batchSize && batch.executions === 0) break;
    }
    // After everything that events are about.
    await this.#database.run((db) =>
      db.deleteFrom('webhook_deliveries').where('user_id', '=', toText(userId)).execute(),
    );
    // The last: while something waits for more decisions, the earlier ones count.
    await this.#database.run((db) =>
      db.deleteFrom('approval_decisions').where('user_id', '=', toText(userId)).execute(),
    );
    return { conversations, messages, executions };
  }
}
