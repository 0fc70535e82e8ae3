import type { JsonValue, NewPublishedEvent, Owner } from '@halyard/contracts';
import { channelOf } from './event-waits.ts';
import type { StoredRoot } from './stored-execution.ts';

/** More events than this are not stored: the oldest is deleted. */
const maxEvents = 10_000;

export interface StoredEvent {
  readonly id: string;
  /** Grows with each event. */
  readonly position: number;
  readonly channel: string;
  readonly payload: JsonValue;
  readonly publisher: Owner;
  readonly requestKey: string;
  readonly publishedAt: number;
}

/** Published events, oldest first. */
export class PublishedEvents {
  readonly #events = new Map<number, StoredEvent>();
  readonly #byChannel = new Map<string, Map<number, StoredEvent>>();
  readonly #byRequest = new Map<string, StoredEvent>();
  #published = 0;

  /** @returns the event, and whether this request has stored it before. */
  add(
    publisher: Owner,
    { requestId, id, payload, ...awaited }: NewPublishedEvent,
    now: number,
  ): { readonly event: StoredEvent; readonly isRepeated: boolean } {
    const requestKey = JSON.stringify([publisher === 'anyone' ? null : publisher.user, requestId]);
    const earlier = this.#byRequest.get(requestKey);
    if (earlier !== undefined) return { event: earlier, isRepeated: true };

    this.#published += 1;
    const channel = channelOf(awaited);
    const event = { id, position: this.#published, channel, payload, publisher, requestKey, publishedAt: now };
    this.#events.set(event.position, event);
    this.#byRequest.set(requestKey, event);
    const ofChannel = this.#byChannel.get(channel) ?? new Map<number, StoredEvent>();
    this.#byChannel.set(channel, ofChannel.set(event.position, event));
    if (this.#events.size > maxEvents) this.#deleteOldest();
    return { event, isRepeated: false };
  }

  /** The oldest event that an execution may receive and has not received. */
  nextFor(root: StoredRoot, channel: string): StoredEvent | undefined {
    return this.#byChannel
      .get(channel)
      ?.values()
      .find((event) => mayReceive(root, event));
  }

  /** Deletes the events published at `publishedBy` or before, `limit` at most. */
  purge(publishedBy: number, limit: number): void {
    const oldest = this.#events.values().take(limit);
    for (const event of oldest) if (event.publishedAt <= publishedBy) this.#delete(event);
  }

  deleteUser(userId: string): void {
    const own = ({ publisher }: StoredEvent): boolean => publisher !== 'anyone' && publisher.user === userId;
    for (const event of this.#events.values()) if (own(event)) this.#delete(event);
  }

  #deleteOldest(): void {
    const oldest = this.#events.values().next().value;
    if (oldest !== undefined) this.#delete(oldest);
  }

  #delete({ channel, position, requestKey }: StoredEvent): void {
    this.#events.delete(position);
    this.#byRequest.delete(requestKey);
    const ofChannel = this.#byChannel.get(channel);
    ofChannel?.delete(position);
    if (ofChannel?.size === 0) this.#byChannel.delete(channel);
  }
}

/** Whether an execution may receive an event: it is its publisher's, began before it, and has not received it. */
export function mayReceive(
  { received, record }: StoredRoot,
  { position, publishedAt, publisher }: StoredEvent,
): boolean {
  return (
    (publisher === 'anyone' || publisher.user === record.userId) &&
    record.createdAt <= publishedAt &&
    !received.some((one) => one.position === position)
  );
}
