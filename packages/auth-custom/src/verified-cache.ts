import { createHash } from 'node:crypto';
import { type Clock, ConfigurationError, type User } from '@halyard/contracts';

/** How long, and how many. */
export interface VerifiedCacheOptions {
  /** How long a token that was accepted is accepted without asking, in milliseconds: as long does one that is revoked go on. */
  readonly ttlMs: number;
  /** How many tokens are kept. Default 1000. The one that was used longest ago goes first. */
  readonly maxEntries?: number;
}

/** Who tokens were found to speak for. Tokens are known by their hashes; refused ones are not kept. */
export class VerifiedCache {
  readonly #ttlMs: number;
  readonly #maxEntries: number;
  readonly #clock: Clock;
  readonly #kept = new Map<string, { readonly user: User; readonly until: number }>();
  readonly #asked = new Map<string, Promise<User | null>>();

  /** @throws ConfigurationError for a time or a number that is none. */
  constructor({ ttlMs, maxEntries = 1_000 }: VerifiedCacheOptions, clock: Clock) {
    if (!Number.isFinite(ttlMs) || ttlMs < 0)
      throw new ConfigurationError('cache.ttlMs of customAuth must be a number of milliseconds');
    if (!Number.isSafeInteger(maxEntries) || maxEntries < 1)
      throw new ConfigurationError('cache.maxEntries of customAuth must be a whole number above 0');
    this.#ttlMs = ttlMs;
    this.#maxEntries = maxEntries;
    this.#clock = clock;
  }

  /** Who the token speaks for: as kept, else as `ask` says, which is called once for all that want to know at the same time. */
  find(token: string, ask: () => Promise<User | null> | User | null): Promise<User | null> | User | null {
    const hash = createHash('sha256').update(token).digest('base64');
    const kept = this.#read(hash);
    return kept === undefined ? this.#ask(hash, ask) : { ...kept };
  }

  #read(hash: string): User | undefined {
    const entry = this.#kept.get(hash);
    if (entry === undefined) return undefined;
    this.#kept.delete(hash);
    if (this.#clock.now() >= entry.until) return undefined;
    this.#kept.set(hash, entry);
    return entry.user;
  }

  async #ask(hash: string, ask: () => Promise<User | null> | User | null): Promise<User | null> {
    const user = await (this.#asked.get(hash) ?? this.#begin(hash, ask));
    return user === null ? null : { ...user };
  }

  #begin(hash: string, ask: () => Promise<User | null> | User | null): Promise<User | null> {
    // From before it was asked: what was revoked meanwhile does not live longer for it.
    const until = this.#clock.now() + this.#ttlMs;
    const asked = Promise.resolve(ask())
      .then((user) => {
        if (user !== null) this.#keep(hash, user, until);
        return user;
      })
      .finally(() => this.#asked.delete(hash));
    this.#asked.set(hash, asked);
    return asked;
  }

  #keep(hash: string, user: User, until: number): void {
    this.#kept.set(hash, { user, until });
    if (this.#kept.size <= this.#maxEntries) return;
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined) this.#kept.delete(oldest);
  }
}
