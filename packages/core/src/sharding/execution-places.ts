import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Place } from './place-of.ts';
import type { Shard } from './shard.ts';

/** More places than this are not remembered. Others are looked up again. */
const maxRemembered = 100_000;

/**
 * Finds the shard of an execution. The hash of its id names the shard, its home. Sub-workflows live with their root, and roots with a key with the others of that
 * key: the home does not have them, and all shards are asked. An execution never moves, so its place is remembered.
 */
export class ExecutionPlaces {
  readonly #shards: readonly [Shard, ...Shard[]];
  readonly #remembered = new LRUCache<string, Shard>({ max: maxRemembered });

  constructor(shards: readonly [Shard, ...Shard[]]) {
    this.#shards = shards;
  }

  homeOf({ kind, text }: Place): Shard {
    const number = hash('sha256', `${kind} ${text}`, 'buffer').readUInt32BE();
    return this.#shards[number % this.#shards.length] ?? this.#shards[0];
  }

  remembered(id: string): Shard | undefined {
    return this.#remembered.get(id);
  }

  remember(id: string, shard: Shard): void {
    this.#remembered.set(id, shard);
  }

  forget(id: string): void {
    this.#remembered.delete(id);
  }

  /** @returns undefined when there is no such execution. @throws UnavailableError when a shard that may have it does not answer. */
  async find(id: string): Promise<Shard | undefined> {
    return this.remembered(id) ?? (await this.findAll([id])).get(id);
  }

  /** Those of the executions that exist. @throws UnavailableError when a shard that may have others does not answer. */
  async findAll(ids: readonly string[]): Promise<ReadonlyMap<string, Shard>> {
    const found = new Map<string, Shard>();
    for (const id of ids) {
      const shard = this.remembered(id);
      if (shard !== undefined) found.set(id, shard);
    }
    const missing = (): readonly string[] => ids.filter((id) => !found.has(id));
    const homeOf = (id: string): Shard => this.homeOf({ kind: 'id', text: id });

    const homes = [...Map.groupBy(missing(), homeOf)].map(([shard, some]) => this.#askFor(some, shard, found));
    await Promise.allSettled(homes);
    const elsewhere = missing();
    const others = this.#shards.map((shard) => {
      const some = elsewhere.filter((id) => homeOf(id) !== shard);
      return this.#askFor(some, shard, found);
    });
    await Promise.allSettled(others);
    // Rejects like the first that has failed.
    if (missing().length > 0) await Promise.all([...homes, ...others]);
    return found;
  }

  /** Those of the ids that are in use on another shard, as far as the others answer: one that does not answer stops no shard. */
  async elsewhere(ids: readonly string[], than: Shard): Promise<ReadonlyMap<string, Shard>> {
    const found = new Map<string, Shard>();
    const others = this.#shards.filter((shard) => shard !== than);
    await Promise.allSettled(others.map((shard) => this.#askFor(ids, shard, found)));
    return found;
  }

  async #askFor(ids: readonly string[], shard: Shard, found: Map<string, Shard>): Promise<void> {
    if (ids.length === 0) return;
    const histories = await shard.ask((store) => store.histories('anyone', ids, 0));
    for (const id of histories.keys()) {
      found.set(id, shard);
      this.remember(id, shard);
    }
  }
}
