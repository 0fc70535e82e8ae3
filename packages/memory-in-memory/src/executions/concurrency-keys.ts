import { SetsByKey } from '../sets-by-key.ts';
import { SortedArray } from '../sorted-array.ts';
import type { RunnerLeases } from './runner-leases.ts';
import type { StoredRoot } from './stored-execution.ts';

/** An admission that is not used for this long counts no more. */
const admissionMs = 10_000;

/** The executions with a `concurrency` that run, are admitted or wait, by key. */
export class ConcurrencyKeys {
  readonly #leases: RunnerLeases;
  readonly #active = new SetsByKey<StoredRoot>();
  readonly #waiting = new Map<string, SortedArray<StoredRoot>>();

  constructor(leases: RunnerLeases) {
    this.#leases = leases;
  }

  add(root: StoredRoot): void {
    const { concurrency, waitingSince } = root.record;
    if (concurrency === null) return;
    if (isWaiting(root)) this.#waitingFor(concurrency.key).add(root);
    else if (root.lease !== undefined || waitingSince !== null) this.#active.add(concurrency.key, root);
  }

  /** To be called before a root changes that was added. */
  remove(root: StoredRoot): void {
    const { concurrency } = root.record;
    if (concurrency === null) return;
    this.#active.delete(concurrency.key, root);
    const waiting = this.#waiting.get(concurrency.key);
    if (waiting === undefined || !isWaiting(root)) return;
    waiting.remove(root);
    if (waiting.size === 0) this.#waiting.delete(concurrency.key);
  }

  /** Whether a root that can be claimed may run now. */
  hasPlace(root: StoredRoot, now: number): boolean {
    const { concurrency, priority, waitingSince } = root.record;
    if (concurrency === null) return true;
    if (this.#placesTaken(concurrency.key, now, root) >= concurrency.limit) return false;
    const first = this.#waiting.get(concurrency.key)?.first;
    return waitingSince !== null || first === undefined || first.record.priority < priority;
  }

  /** The next root that waits for a key, if it may run now. */
  nextToAdmit(key: string, now: number): StoredRoot | undefined {
    const first = this.#waiting.get(key)?.first;
    return this.#placesTaken(key, now) < (first?.record.concurrency?.limit ?? 0) ? first : undefined;
  }

  /** The keys for which executions wait, at most `limit` after this one. */
  waitingKeys(after: string, limit: number): readonly string[] {
    const later = [...this.#waiting.keys()].filter((key) => key > after);
    return later.toSorted().slice(0, limit);
  }

  #placesTaken(key: string, now: number, except?: StoredRoot): number {
    let taken = 0;
    for (const root of this.#active.get(key)) {
      const isLive =
        root.lease === undefined ? root.claimableAt + admissionMs > now : !this.#leases.hasEnded(root.lease);
      if (root !== except && isLive) taken += 1;
    }
    return taken;
  }

  #waitingFor(key: string): SortedArray<StoredRoot> {
    const waiting = this.#waiting.get(key) ?? new SortedArray(compareWaiting);
    this.#waiting.set(key, waiting);
    return waiting;
  }
}

function isWaiting({ claimableAt, record }: StoredRoot): boolean {
  return record.waitingSince !== null && claimableAt === Infinity;
}

function compareWaiting(one: StoredRoot, other: StoredRoot): number {
  return (
    other.record.priority - one.record.priority ||
    (one.record.waitingSince ?? 0) - (other.record.waitingSince ?? 0) ||
    one.order - other.order
  );
}
