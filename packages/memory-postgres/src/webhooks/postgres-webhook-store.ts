import type {
  StoredWebhookEndpoint,
  TakenWebhook,
  WebhookData,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEventType,
  WebhookFilter,
  WebhookResult,
  WebhookStore,
} from '@halyard/contracts';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { databaseTime } from '../connection/sql-fragments.ts';
import { fromText, toText } from '../connection/text-codec.ts';

interface TakenRow {
  readonly id: string;
  readonly type: WebhookEventType;
  readonly at: string;
  readonly data: string;
  readonly attempts: number;
  readonly tries: number;
}

/**
 * What is to be sent to webhooks, shared by all processes. The statements and triggers that change
 * executions and approvals add it.
 */
export class PostgresWebhookStore implements WebhookStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async listen({ events, url }: WebhookEndpoint, forMs: number): Promise<void> {
    const until = sql<number>`${databaseTime(this.#database)} + ${forMs}::bigint`;
    await this.#database.run(
      (db) =>
        db
          .insertInto('webhook_endpoints')
          .values({ url: toText(url), events: [...events], listens_until: until })
          .onConflict((conflict) =>
            conflict.column('url').doUpdateSet((eb) => ({
              events: eb.ref('excluded.events'),
              listens_until: eb.ref('excluded.listens_until'),
            })),
          )
          .execute(),
      { retry: true },
    );
  }

  async endpoints(): Promise<readonly StoredWebhookEndpoint[]> {
    const rows = await this.#database.read((db) =>
      db.selectFrom('webhook_endpoints').select(['url', 'events', 'disabled_at']).orderBy('url').execute(),
    );
    return rows.map(({ disabled_at: disabledAt, events, url }) => ({
      url: fromText(url),
      events,
      disabledAt: toTime(disabledAt),
    }));
  }

  async take(url: string, limit: number, leaseMs: number): Promise<readonly TakenWebhook[]> {
    const parameters = [toText(url), limit, Math.ceil(leaseMs), this.#database.shiftMs];
    // Those whose reply was lost are due again after their lease, and a repeated call takes others.
    const rows = await this.#database.call<TakenRow>('take_webhooks', parameters);
    return rows.map(({ at, data, ...row }) => ({ ...row, url, at: Number(at), data: toData(data) }));
  }

  async settle({ attempts, id }: Pick<TakenWebhook, 'id' | 'attempts'>, result: WebhookResult): Promise<void> {
    const dueAt =
      result.status === 'pending'
        ? sql<number>`${databaseTime(this.#database)} + ${Math.ceil(result.dueInMs)}::bigint`
        : null;
    await this.#database.run(
      (db) =>
        db
          .updateTable('webhook_deliveries')
          .set({
            status: result.status,
            due_at: dueAt,
            reply_status: result.replyStatus,
            error: result.status === 'delivered' ? null : toText(result.error),
          })
          .where('id', '=', toText(id))
          .where('attempts', '=', attempts)
          .where('status', '=', 'pending')
          .execute(),
      { retry: true },
    );
  }

  async disable(url: string): Promise<void> {
    await this.#database.run(
      (db) =>
        db
          .with('disabled', (cte) =>
            cte
              .updateTable('webhook_endpoints')
              .set({ disabled_at: databaseTime(this.#database) })
              .where('url', '=', toText(url))
              .where('disabled_at', 'is', null),
          )
          .updateTable('webhook_deliveries')
          .set({ status: 'failed', due_at: null, error: 'The endpoint is disabled' })
          .where('url', '=', toText(url))
          .where('due_at', 'is not', null)
          .execute(),
      { retry: true },
    );
  }

  async redeliver(id: string): Promise<boolean> {
    const enabled = await this.#database.run(
      (db) =>
        db
          .with('enabled', (cte) =>
            cte
              .updateTable('webhook_endpoints')
              .set({ disabled_at: null })
              .where('url', 'in', (eb) =>
                eb.selectFrom('webhook_deliveries').select('url').where('id', '=', toText(id)),
              )
              .where('disabled_at', 'is not', null),
          )
          .updateTable('webhook_deliveries')
          .set((eb) => ({
            status: 'pending',
            due_at: databaseTime(this.#database),
            redelivered_after: eb.ref('attempts'),
          }))
          .where('id', '=', toText(id))
          .executeTakeFirst(),
      { retry: true },
    );
    return enabled.numUpdatedRows > 0n;
  }

  async list({ before, limit, status, url }: WebhookFilter): Promise<readonly WebhookDelivery[]> {
    const rows = await this.#database.read((db) => {
      let query = db.selectFrom('webhook_deliveries').selectAll();
      if (url !== undefined) query = query.where('url', '=', toText(url));
      if (status !== undefined) query = query.where('status', '=', status);
      if (before !== undefined) query = query.where('position', '<', before);
      return query.orderBy('position', 'desc').limit(limit).execute();
    });
    return rows.map((row) => ({
      id: row.id,
      position: Number(row.position),
      url: fromText(row.url),
      type: row.type,
      at: Number(row.at),
      data: toData(row.data),
      status: row.status,
      attempts: row.attempts,
      dueAt: toTime(row.due_at),
      attemptedAt: toTime(row.attempted_at),
      replyStatus: row.reply_status,
      error: row.error === null ? null : fromText(row.error),
    }));
  }

  async purge(olderThanMs: number, limit: number): Promise<number> {
    const { numDeletedRows } = await this.#database.run((db) =>
      db
        .deleteFrom('webhook_deliveries')
        .where('position', 'in', (eb) =>
          eb
            .selectFrom('webhook_deliveries')
            .select('position')
            .where('at', '<=', sql<number>`${databaseTime(this.#database)} - ${olderThanMs}::bigint`)
            .orderBy('at')
            .limit(limit)
            .forUpdate()
            .skipLocked(),
        )
        .executeTakeFirst(),
    );
    return Number(numDeletedRows);
  }
}

function toTime(value: string | number | null): number | null {
  return value === null ? null : Number(value);
}

function toData(json: string): WebhookData {
  return JSON.parse(json, (_, value: unknown) => (typeof value === 'string' ? fromText(value) : value)) as WebhookData;
}
