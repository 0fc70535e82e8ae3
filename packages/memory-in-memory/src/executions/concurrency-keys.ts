import { SetsByKey } from '../sets-by-key.ts';
import { SortedArray } from '../sorted-array.ts';
import type { StoredRoot } from './stored-execution.ts';

/**
 * The executions with a `concurrency`, by key: those with a runner, which have the places, and
 * those that wait for one.
 *
 * When places are free, those that wait next are made due, and keep their turn. That is decided for
 * each definition, as no process may be able to run those of another one.
 */
export class ConcurrencyKeys {
  readonly #running = new SetsByKey<StoredRoot>();
  /** The executions that have waited and are due, by key and definition. */
  readonly #woken = new SetsByKey<StoredRoot>();
  /** The executions that are not due, by key and definition. */
  readonly #waiting = new Map<string, Map<string, SortedArray<StoredRoot>>>();

  add(root: StoredRoot): void {
    const { concurrency, definition, waitingSince } = root.record;
    if (concurrency === null) return;
    if (root.lease !== undefined) this.#running.add(concurrency.key, root);
    else if (waitingSince === null) return;
    else if (root.claimableAt < Infinity) this.#woken.add(toName(concurrency.key, definition), root);
    else this.#waitingFor(concurrency.key, definition).add(root);
  }

  /** To be called before a root changes that was added. */
  remove(root: StoredRoot): void {
    const { concurrency, definition, waitingSince } = root.record;
    if (concurrency === null) return;
    this.#running.delete(concurrency.key, root);
    this.#woken.delete(toName(concurrency.key, definition), root);
    const ofKey = this.#waiting.get(concurrency.key);
    const waiting = ofKey?.get(definition);
    if (waiting === undefined || waitingSince === null || root.lease !== undefined || root.claimableAt < Infinity)
      return;
    waiting.remove(root);
    if (waiting.size === 0) ofKey?.delete(definition);
    if (ofKey?.size === 0) this.#waiting.delete(concurrency.key);
  }

  /**
   * Whether a root that can be claimed may run now: there are places also for those that wait and
   * come before it.
   */
  hasPlace(root: StoredRoot, now: number): boolean {
    const { concurrency, definition } = root.record;
    if (concurrency === null) return true;
    const first = this.#waiting.get(concurrency.key)?.get(definition)?.first;
    return this.#isFree(root, now) && (first === undefined || compareWaiting(first, root, now) > 0);
  }

  /** A root that waits for a key for which a place is free. */
  nextToWake(key: string): StoredRoot | undefined {
    for (const { first } of this.#waiting.get(key)?.values() ?? [])
      if (first !== undefined && this.#isFree(first, 0)) return first;
    return undefined;
  }

  #isFree(root: StoredRoot, now: number): boolean {
    const { concurrency, definition } = root.record;
    if (concurrency === null) return true;
    const running = [...this.#running.get(concurrency.key)].filter((other) => other !== root);
    const woken = [...this.#woken.get(toName(concurrency.key, definition))];
    const before = woken.filter((other) => other !== root && compareWaiting(other, root, now) < 0);
    return running.length + before.length < concurrency.limit;
  }

  #waitingFor(key: string, definition: string): SortedArray<StoredRoot> {
    const ofKey = this.#waiting.get(key) ?? new Map<string, SortedArray<StoredRoot>>();
    this.#waiting.set(key, ofKey);
    const waiting = ofKey.get(definition) ?? new SortedArray<StoredRoot>((one, other) => compareWaiting(one, other, 0));
    ofKey.set(definition, waiting);
    return waiting;
  }
}

function toName(key: string, definition: string): string {
  return JSON.stringify([key, definition]);
}

/** @param now since when one waits that has not waited yet. */
function compareWaiting(one: StoredRoot, other: StoredRoot, now: number): number {
  return (
    other.record.priority - one.record.priority ||
    (one.record.waitingSince ?? now) - (other.record.waitingSince ?? now) ||
    one.order - other.order
  );
}
