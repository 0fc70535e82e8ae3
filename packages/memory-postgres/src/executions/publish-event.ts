import {
  type EventDelivery,
  HalyardError,
  type NewPublishedEvent,
  type Owner,
  type Publication,
} from '@halyard/contracts';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import type { Notifications } from '../connection/notifications.ts';
import { databaseTime, ownerParameter } from '../connection/sql-fragments.ts';
import { fromText, toText } from '../connection/text-codec.ts';
import { whileBusy } from '../connection/while-busy.ts';
import { channelOf } from './stored-waits.ts';

/** How many executions one statement answers. */
const batchSize = 500;
/** How long to try again when other transactions have locked executions that wait. A sweep delivers the event to the others. */
const deliveryTimeoutMs = 1_000;

interface DeliveryRow {
  /** Null: executions remain that have not received the event. */
  readonly id: string | null;
  /** The execution of the sub-workflow that waits, or the same. */
  readonly waiting_id: string;
  readonly workflow_id: string;
}

/** Stores an event and delivers it. Two transactions, so that no row is locked while the event is not stored. */
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
    channel: channelOf(awaited),
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

/** Delivers events that have not reached all executions, the oldest first. */
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
      .orderBy('position')
      .limit(limit)
      .execute(),
  );
  const deliveries: EventDelivery[] = [];
  for (const { position } of pending)
    for (const delivery of await deliverEvent(database, notifications, position)) deliveries.push(delivery);
  return deliveries;
}

/** Deletes events that were published `olderThanMs` ago or before, the oldest first. */
export async function purgeEvents(database: Database, olderThanMs: number, limit: number): Promise<void> {
  const lastTime = sql<number>`${databaseTime(database)} - ${Math.floor(olderThanMs)}::bigint`;
  await database.run((db) =>
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
      .execute(),
  );
}

async function deliverEvent(
  database: Database,
  notifications: Notifications,
  position: string | number,
): Promise<readonly EventDelivery[]> {
  const deliveries: EventDelivery[] = [];
  const deliverBatch = async (): Promise<'done' | 'remaining' | 'busy'> => {
    const parameters = [position, batchSize, database.shiftMs];
    const rows = await database.call<DeliveryRow>('deliver_event', parameters);
    for (const { id, waiting_id, workflow_id } of rows) {
      if (id === null) continue;
      deliveries.push({ executionId: fromText(id), workflowId: fromText(workflow_id) });
      notifications.notify(fromText(id), 'signal');
      if (waiting_id !== id) notifications.notify(fromText(waiting_id), 'signal');
    }
    if (rows.at(-1)?.id !== null) return 'done';
    return rows.length > 1 ? 'remaining' : 'busy';
  };
  await whileBusy(
    async () => {
      for (;;) {
        const outcome = await deliverBatch();
        if (outcome !== 'remaining') return outcome;
      }
    },
    (outcome) => outcome === 'busy',
    deliveryTimeoutMs,
  );
  return deliveries;
}
