import type { AwaitedEvent, Owner, Suspension } from '@halyard/contracts';
import { SetsByKey } from '../sets-by-key.ts';
import { none, type StoredRoot } from './stored-execution.ts';

/** The executions that wait for events, by name and key. */
export class EventWaits {
  readonly #roots = new SetsByKey<StoredRoot>();

  /** To be called when the suspensions of a root may have changed. */
  update(root: StoredRoot): void {
    const { suspensions } = root.record;
    if (suspensions.length === 0 && root.channels.length === 0) return;
    for (const channel of root.channels) this.#roots.delete(channel, root);
    root.channels = suspensions.flatMap(({ event }) => (event === undefined ? [] : toChannel(event)));
    for (const channel of root.channels) this.#roots.add(channel, root);
  }

  remove(root: StoredRoot): void {
    for (const channel of root.channels) this.#roots.delete(channel, root);
    root.channels = none;
  }

  /** In the order in which they were created. */
  waitingFor(channel: string): readonly StoredRoot[] {
    return [...this.#roots.get(channel)].toSorted((one, other) => one.order - other.order);
  }
}

/** Identifies a name and a key. */
export function toChannel({ key, name }: Pick<AwaitedEvent, 'key' | 'name'>): string {
  return JSON.stringify([name, key]);
}

/**
 * Whether a suspension waits for an event of this publisher. Whose execution it is, is another
 * condition.
 */
export function isWaitFor(
  { event }: Suspension,
  { channel, publisher }: { readonly channel: string; readonly publisher: Owner },
): boolean {
  return event !== undefined && toChannel(event) === channel && (publisher === 'anyone' || event.from === 'owner');
}
