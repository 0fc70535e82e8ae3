import type { Owner } from '../users/owner.ts';
import type { EventDelivery, NewPublishedEvent, Publication } from './published-event.ts';

/**
 * Published events, and the executions that wait for them. An event is stored, so that an execution
 * that begins to wait later receives it, too.
 */
export interface EventBroker {
  /**
   * Stores an event, and resumes the suspensions that wait for it, also those that begin later. An
   * execution receives an event at most once: at the earliest suspension that waits for its name
   * and key, and only if the execution was created before the event. A rewind of the step that
   * received it lets the execution receive it again. The event of a user reaches only executions of
   * that user, and only waits that are `from` the owner. A repeated call with the same `requestId`
   * by the same owner returns the same `eventId` and stores nothing.
   */
  publish(owner: Owner, event: NewPublishedEvent): Promise<Publication>;

  /**
   * Delivers events whose publisher stopped before it had reached all executions: at most `limit`
   * events, and a part of each that takes little time. A later call continues. An event whose
   * delivery fails stops no other one, and is delivered again after some time; then the call
   * rejects at its end.
   *
   * @returns the deliveries. Empty: nothing is left, or the rest cannot be delivered now.
   */
  deliverPending(limit: number): Promise<readonly EventDelivery[]>;

  /**
   * Deletes at most `limit` of the events that were published at least `olderThanMs` ago (Infinity:
   * none), the oldest first. @returns how many.
   */
  purgeEvents(olderThanMs: number, limit: number): Promise<number>;
}
