import type { DeletedUserData, UserDataStore, UserRecord } from '@halyard/contracts';
import type { Database } from '../connection/database.ts';
import type { Notifications } from '../connection/notifications.ts';
import { fromText, toText } from '../connection/text-codec.ts';
import type { PostgresStreamStore } from '../streams/postgres-stream-store.ts';
import { exportUser } from './export-user.ts';

/** Conversations, and executions, that one transaction deletes. */
const deletedAtOnce = 50;

interface DeletedPart extends DeletedUserData {
  /** Ids of executions that had not ended, as JSON. */
  readonly stopped: string | null;
}

/** What the database has of a person. It is read in pages, and deleted in parts: each is a transaction, and a call that fails is made again. */
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
    let [conversations, messages, executions] = [0, 0, 0];
    for (;;) {
      const [part] = await this.#database.query<DeletedPart>(
        `select * from ${this.#database.schema}.delete_user($1, ${deletedAtOnce})`,
        [toText(userId)],
        { bearsTwice: true },
      );
      if (part === undefined) break;
      conversations += part.conversations;
      messages += part.messages;
      executions += part.executions;
      const stopped = JSON.parse(part.stopped ?? '[]') as readonly string[];
      for (const id of stopped) this.#notifications.tell(fromText(id), 'commit');
      if (part.conversations < deletedAtOnce && part.executions < deletedAtOnce) break;
    }
    return { conversations, messages, executions };
  }
}
