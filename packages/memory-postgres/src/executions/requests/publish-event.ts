import {
  type EventDelivery,
  HalyardError,
  type NewPublishedEvent,
  type Owner,
  type Publication,
} from '@halyard/contracts';
import { sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import type { Notifications } from '../../connection/notifications.ts';
import { databaseTime, ownerParameter } from '../../connection/sql-fragments.ts';
import { isDatabaseDown } from '../../connection/storage-unavailable.ts';
import { fromText, toText } from '../../connection/text-codec.ts';
import { whileBusy } from '../../connection/while-busy.ts';
import { wholeMs } from '../deletions/purge-executions.ts';
import { toChannel } from '../rows/stored-waits.ts';

/** How many executions one statement resumes at most; fewer of a large payload. */
const batchSize = 100;
/**
 * How long to try again when other transactions have locked executions that wait. A sweep delivers
 * the event to these.
 */
const deliveryTimeoutMs = 1_000;
/** After this time, an event whose delivery has failed is delivered again. */
const retryDeliveryMs = 30_000;

interface DeliveryRow {
  /** Null: executions remain that have not received the event. */
  readonly id: string | null;
  /** The execution of the sub-workflow that waits, or the same. */
  readonly waiting_id: string;
  readonly workflow_id: string;
}

/**
 * Stores an event and delivers it. Two transactions, so that no row is locked while the event is
 * not stored.
 */
export async function publishEvent(
  database: Database,
  notifications: Notifications,
  owner: Owner,
  { id, payload, requestId, ...awaited }: NewPublishedEvent,
): Promise<Publication> {
  const event = JSON.stringify({
    id: toText(id),
    userId: ownerParameter(owner),
    requestId: toText(requestId),
    channel: toChannel(awaited),
    payload: JSON.stringify(payload),
  });
  const [stored] = await database.call<{ readonly event_id: string; readonly event_position: string }>(
    'publish_event',
    [event, database.shiftMs],
  );
  if (stored === undefined) throw new HalyardError('internal', 'INTERNAL', `The event ${id} was not stored`);
  const deliveries = await deliverEvent(database, notifications, stored.event_position);
  return { eventId: fromText(stored.event_id), deliveries };
}

/**
 * Delivers events that have not reached all executions, those first that were left first: a part of
 * each that one statement delivers.
 */
export async function deliverPendingEvents(
  database: Database,
  notifications: Notifications,
  limit: number,
): Promise<readonly EventDelivery[]> {
  const pending = await database.read((db) =>
    db
      .selectFrom('published_events')
      .select('position')
      .where('is_pending', '=', true)
      .where('deliver_at', '<=', databaseTime(database))
      .orderBy('deliver_at')
      .orderBy('position')
      .limit(limit)
      .execute(),
  );
  const deliveries: EventDelivery[] = [];
  const failures: unknown[] = [];
  for (const { position } of pending) {
    try {
      const part = await deliverPart(database, notifications, position);
      deliveries.push(...part.deliveries);
      if (part.outcome !== 'done') await leave(database, position, 0);
    } catch (error) {
      if (isDatabaseDown(error)) throw error;
      failures.push(error);
      await leave(database, position, retryDeliveryMs);
    }
  }
  if (failures.length > 0)
    throw new HalyardError('internal', 'INTERNAL', `Events could not be delivered: ${failures.length}`, {
      cause: failures[0],
    });
  return deliveries;
}

/** Leaves an event to the sweeps of all processes, which deliver it after this time. */
async function leave(database: Database, position: string | number, delayMs: number): Promise<void> {
  await database.run((db) =>
    db
      .updateTable('published_events')
      .set({ deliver_at: sql`${databaseTime(database)} + ${delayMs}::bigint` })
      .where('position', '=', position)
      .execute(),
  );
}

/**
 * Deletes events that were published `olderThanMs` ago or before, the oldest first. @returns how
 * many.
 */
export async function purgeEvents(database: Database, olderThanMs: number, limit: number): Promise<number> {
  const lastTime = sql<number>`${databaseTime(database)} - ${wholeMs(olderThanMs)}::bigint`;
  const { numDeletedRows } = await database.run((db) =>
    db
      .deleteFrom('published_events')
      .where('position', 'in', (eb) =>
        eb
          .selectFrom('published_events')
          .select('position')
          .where('published_at', '<=', lastTime)
          .orderBy('published_at')
          .orderBy('position')
          .limit(limit),
      )
      .executeTakeFirst(),
  );
  return Number(numDeletedRows);
}

async function deliverEvent(
  database: Database,
  notifications: Notifications,
  position: string,
): Promise<readonly EventDelivery[]> {
  const deliveries: EventDelivery[] = [];
  const outcome = await whileBusy(
    async () => {
      for (;;) {
        const part = await deliverPart(database, notifications, position);
        deliveries.push(...part.deliveries);
        if (part.outcome !== 'remaining') return part.outcome;
      }
    },
    (result) => result === 'busy',
    deliveryTimeoutMs,
  );
  if (outcome === 'busy') await leave(database, position, 0);
  return deliveries;
}

/**
 * Delivers an event to some of the executions that wait for it, in one short transaction. `busy`:
 * other transactions have locked those that remain.
 */
async function deliverPart(
  database: Database,
  notifications: Notifications,
  position: string | number,
): Promise<{ readonly deliveries: readonly EventDelivery[]; readonly outcome: 'done' | 'remaining' | 'busy' }> {
  const rows = await database.call<DeliveryRow>('deliver_event', [position, batchSize, database.shiftMs]);
  const deliveries: EventDelivery[] = [];
  for (const { id, waiting_id, workflow_id } of rows) {
    if (id === null) continue;
    deliveries.push({ executionId: fromText(id), workflowId: fromText(workflow_id) });
    notifications.notify(fromText(id), 'signal');
    if (waiting_id !== id) notifications.notify(fromText(waiting_id), 'signal');
  }
  if (rows.at(-1)?.id !== null) return { deliveries, outcome: 'done' };
  return { deliveries, outcome: deliveries.length > 0 ? 'remaining' : 'busy' };
}
