import type { JsonValue, NewPublishedEvent, Owner, Suspension } from '@halyard/contracts';
import { estimateBytes } from '../estimate-bytes.ts';
import { toChannel, isWaitFor } from './event-waits.ts';
import type { ExecutionTree } from './stored-execution.ts';

/**
 * More events than this, or more bytes, are not stored: the oldest are deleted, but never the
 * newest.
 */
const maxEvents = 10_000;
const maxBytes = 64 * 1024 * 1024;

export interface StoredEvent {
  readonly id: string;
  /** Grows with each event. */
  readonly position: number;
  readonly channel: string;
  readonly payload: JsonValue;
  readonly publisher: Owner;
  readonly requestKey: string;
  readonly publishedAt: number;
  /** Roughly how much memory the payload takes. */
  readonly bytes: number;
}

/** Published events, oldest first. */
export class PublishedEvents {
  readonly #events = new Map<number, StoredEvent>();
  readonly #byChannel = new Map<string, Map<number, StoredEvent>>();
  readonly #byRequest = new Map<string, StoredEvent>();
  #published = 0;
  #bytes = 0;

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
    const channel = toChannel(awaited);
    const position = this.#published;
    const bytes = estimateBytes(payload);
    const event = { id, position, channel, payload, publisher, requestKey, publishedAt: now, bytes };
    this.#events.set(position, event);
    this.#bytes += bytes;
    this.#byRequest.set(requestKey, event);
    const ofChannel = this.#byChannel.get(channel) ?? new Map<number, StoredEvent>();
    this.#byChannel.set(channel, ofChannel.set(position, event));
    while (this.#events.size > maxEvents || (this.#bytes > maxBytes && this.#events.size > 1)) this.#deleteOldest();
    return { event, isRepeated: false };
  }

  /**
   * The oldest event that a suspension of an execution waits for, and that the execution may
   * receive and has not received.
   */
  nextFor(root: ExecutionTree, suspension: Suspension): StoredEvent | undefined {
    if (suspension.event === undefined) return undefined;
    return this.#byChannel
      .get(toChannel(suspension.event))
      ?.values()
      .find((event) => isWaitFor(suspension, event) && mayReceive(root, event));
  }

  /**
   * Deletes the events published at `publishedBy` or before, `limit` at most. @returns how many.
   */
  purge(publishedBy: number, limit: number): number {
    const before = this.#events.size;
    const oldest = this.#events.values().take(limit);
    for (const event of oldest) if (event.publishedAt <= publishedBy) this.#delete(event);
    return before - this.#events.size;
  }

  deleteUser(userId: string): void {
    const own = ({ publisher }: StoredEvent): boolean => publisher !== 'anyone' && publisher.user === userId;
    for (const event of this.#events.values()) if (own(event)) this.#delete(event);
  }

  #deleteOldest(): void {
    const oldest = this.#events.values().next().value;
    if (oldest !== undefined) this.#delete(oldest);
  }

  #delete({ bytes, channel, position, requestKey }: StoredEvent): void {
    if (!this.#events.delete(position)) return;
    this.#bytes -= bytes;
    this.#byRequest.delete(requestKey);
    const ofChannel = this.#byChannel.get(channel);
    ofChannel?.delete(position);
    if (ofChannel?.size === 0) this.#byChannel.delete(channel);
  }
}

/**
 * Whether an execution may receive an event: it is its publisher's, began before it, and has not
 * received it.
 */
export function mayReceive(
  { received, record }: Pick<ExecutionTree, 'received' | 'record'>,
  { id, publishedAt, publisher }: Pick<StoredEvent, 'id' | 'publishedAt' | 'publisher'>,
): boolean {
  return (
    (publisher === 'anyone' || publisher.user === record.userId) &&
    record.createdAt <= publishedAt &&
    !received.some(({ eventId }) => eventId === id)
  );
}
