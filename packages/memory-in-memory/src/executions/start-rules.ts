import type { CreateOptions } from '@halyard/contracts';
import { SetsByKey } from '../sets-by-key.ts';
import { SortedArray } from '../sorted-array.ts';
import { isFinal, type StoredRoot } from './stored-execution.ts';

/** The keys of a root with which others start, and the times that count for them. */
interface StartKeys {
  readonly singletonKey: string | undefined;
  readonly throttle: { readonly key: string; readonly at: number } | undefined;
  readonly debounce: { readonly key: string; readonly since: number } | undefined;
}

/** The roots that matter for later starts with the same key. */
export class StartRules {
  /** Without those that have ended, like `#debounced`. */
  readonly #singletons = new SetsByKey<StoredRoot>();
  readonly #debounced = new SetsByKey<StoredRoot>();
  readonly #throttled = new Map<string, SortedArray<StoredRoot>>();
  /** Of the roots that have any. Few have. */
  readonly #keys = new Map<StoredRoot, StartKeys>();

  skips({ singleton }: CreateOptions): boolean {
    return singleton?.onBusy === 'skip' && this.#singletons.get(singleton.key).size > 0;
  }

  /** When a new root is due, and its keys. */
  plan(options: CreateOptions, now: number): { readonly dueAt: number; readonly keys: StartKeys | undefined } {
    const { debounce, dueInMs = 0, singleton, throttle } = options;
    let dueAt = now + dueInMs;
    if (debounce === undefined && singleton === undefined && throttle === undefined) return { dueAt, keys: undefined };

    const since = debounce === undefined ? now : this.#debouncedSince(debounce.key, now);
    if (debounce !== undefined) {
      const { delayMs, maxDelayMs = Infinity } = debounce;
      dueAt = Math.max(now, Math.min(now + delayMs, since + maxDelayMs));
    }
    if (throttle !== undefined) dueAt = Math.max(dueAt, this.#earliestStart(throttle));
    return {
      dueAt,
      keys: {
        singletonKey: singleton?.key,
        throttle: throttle && { key: throttle.key, at: dueAt },
        debounce: debounce && { key: debounce.key, since },
      },
    };
  }

  /** To be called when a root with these keys was created. */
  created(root: StoredRoot, keys: StartKeys | undefined): void {
    if (keys !== undefined) this.#keys.set(root, keys);
    this.add(root);
  }

  /** To be called when a root runs again after it has ended. */
  add(root: StoredRoot): void {
    const { debounce, singletonKey, throttle } = this.#keys.get(root) ?? {};
    if (singletonKey !== undefined) this.#singletons.add(singletonKey, root);
    if (debounce !== undefined) this.#debounced.add(debounce.key, root);
    if (throttle === undefined) return;
    const throttled = this.#throttled.get(throttle.key) ?? new SortedArray(this.#compareThrottled);
    throttled.remove(root);
    throttled.add(root);
    this.#throttled.set(throttle.key, throttled);
  }

  ended(root: StoredRoot): void {
    const { debounce, singletonKey } = this.#keys.get(root) ?? {};
    if (singletonKey !== undefined) this.#singletons.delete(singletonKey, root);
    if (debounce !== undefined) this.#debounced.delete(debounce.key, root);
  }

  /** To be called when a root is deleted. */
  remove(root: StoredRoot): void {
    this.ended(root);
    const { throttle } = this.#keys.get(root) ?? {};
    const throttled = throttle && this.#throttled.get(throttle.key);
    throttled?.remove(root);
    if (throttle !== undefined && throttled?.size === 0) this.#throttled.delete(throttle.key);
    this.#keys.delete(root);
  }

  /** The roots that a root replaces, in the order in which they were created. */
  superseded(newer: StoredRoot): readonly StoredRoot[] {
    const { debounce, singletonKey } = this.#keys.get(newer) ?? {};
    const older = [
      ...(singletonKey === undefined ? [] : this.#singletons.get(singletonKey)),
      ...(debounce === undefined ? [] : [...this.#debounced.get(debounce.key)].filter(isPending)),
    ];
    return [...new Set(older)].filter((root) => root.order < newer.order && root.record.request?.kind !== 'cancel');
  }

  #debouncedSince(key: string, now: number): number {
    const times = [...this.#debounced.get(key)]
      .filter(isPending)
      .flatMap((root) => this.#keys.get(root)?.debounce?.since ?? []);
    return Math.min(now, ...times);
  }

  #throttledAt(root: StoredRoot): number {
    return this.#keys.get(root)?.throttle?.at ?? 0;
  }

  readonly #compareThrottled = (one: StoredRoot, other: StoredRoot): number =>
    this.#throttledAt(one) - this.#throttledAt(other) || one.order - other.order;

  #earliestStart({ key, limit, periodMs }: NonNullable<CreateOptions['throttle']>): number {
    let place = 0;
    for (const root of this.#throttled.get(key)?.descending() ?? []) {
      place += 1;
      if (place === limit) return this.#throttledAt(root) + periodMs;
    }
    return -Infinity;
  }
}

/** Whether no process has claimed it. */
function isPending({ record }: StoredRoot): boolean {
  return record.epoch === 0 && !isFinal(record);
}
