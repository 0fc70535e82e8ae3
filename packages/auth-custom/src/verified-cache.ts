import { createHash } from 'node:crypto';
import { type Clock, ConfigurationError, type User } from '@halyard/contracts';
import { LRUCache } from 'lru-cache';

export interface VerifiedCacheOptions {
  /**
   * How long an accepted token is accepted without calling `verifyToken`, in milliseconds. A
   * revoked token stays valid for as long.
   */
  readonly ttlMs: number;
  /** How many tokens are stored. Default 1000. The least recently used one is removed first. */
  readonly maxEntries?: number | undefined;
}

/** The users of accepted tokens. Tokens are stored as hashes; refused ones are not stored. */
export class VerifiedCache {
  readonly #ttlMs: number;
  readonly #clock: Clock;
  readonly #users: LRUCache<string, { readonly user: User; readonly until: number }>;
  /** Verifications that are running, by the hash of their token. */
  readonly #pending = new Map<string, Promise<User | null>>();

  /** @throws ConfigurationError for an invalid time or number. */
  constructor({ ttlMs, maxEntries = 1_000 }: VerifiedCacheOptions, clock: Clock) {
    if (!Number.isFinite(ttlMs) || ttlMs < 0)
      throw new ConfigurationError('cache.ttlMs of customAuth must be a number of milliseconds');
    if (!Number.isSafeInteger(maxEntries) || maxEntries < 1)
      throw new ConfigurationError('cache.maxEntries of customAuth must be a whole number above 0');
    this.#ttlMs = ttlMs;
    this.#clock = clock;
    this.#users = new LRUCache({ max: maxEntries });
  }

  /**
   * The user of the token: from the cache, else from `verify`, which is called once for all
   * concurrent requests.
   */
  find(token: string, verify: () => Promise<User | null> | User | null): Promise<User | null> | User | null {
    const hash = createHash('sha256').update(token).digest('base64');
    const stored = this.#users.get(hash);
    return stored !== undefined && this.#clock.now() < stored.until ? { ...stored.user } : this.#verify(hash, verify);
  }

  async #verify(hash: string, verify: () => Promise<User | null> | User | null): Promise<User | null> {
    const user = await (this.#pending.get(hash) ?? this.#start(hash, verify));
    return user === null ? null : { ...user };
  }

  #start(hash: string, verify: () => Promise<User | null> | User | null): Promise<User | null> {
    // Counted from before the call: a token that is revoked during the call must not be accepted
    // for longer.
    const until = this.#clock.now() + this.#ttlMs;
    const pending = Promise.resolve(verify())
      .then((user) => {
        if (user !== null) this.#users.set(hash, { user, until });
        return user;
      })
      .finally(() => this.#pending.delete(hash));
    this.#pending.set(hash, pending);
    return pending;
  }
}
