import {
  type ClaimedExecution,
  type ClaimOptions,
  type Commit,
  type CommitOutcome,
  type ExecutionStore,
  isHalyardError,
  type Lease,
  type Logger,
  type Storage,
  UnavailableError,
} from '@halyard/contracts';
import { leaseTime } from '../workflow/runtime/claims/lease-deadline.ts';
import { joinShard } from './join-shard.ts';

export interface ShardOptions {
  /** Those of all shards. */
  readonly storages: readonly Storage[];
  readonly logger: Logger;
  readonly silentAfterMs: number;
}

/** A renewal may take this long, however short the lease is. */
const shortestRenewalMs = 250;

/** One of the storages. It is used only after its place among the shards has been checked. */
export class Shard {
  readonly storage: Storage;
  readonly #index: number;
  readonly #options: ShardOptions;
  #joined: Promise<void> | undefined;
  #isSilent = false;
  #isProbing = false;
  #renewalsFailSince: number | undefined;
  /** Of each commit without an answer, what ends the wait for it. */
  readonly #commits = new Set<() => void>();

  constructor(storage: Storage, index: number, options: ShardOptions) {
    this.storage = storage;
    this.#index = index;
    this.#options = options;
  }

  /** @throws ConfigurationError when the storage is not this shard. */
  async #join(): Promise<void> {
    this.#joined ??= joinShard(this.#options.storages, this.#index);
    try {
      await this.#joined;
    } catch (error) {
      if (isUnavailable(error)) this.#joined = undefined;
      throw error;
    }
  }

  /** Whether it has not answered the last call that others waited for. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** A call for one execution, which nothing else waits for. */
  async call<T>(run: (store: ExecutionStore) => Promise<T>): Promise<T> {
    await this.#join();
    return run(this.storage.executions);
  }

  /** A call that others wait for: it fails at once while the shard does not answer. */
  async ask<T>(run: (store: ExecutionStore) => Promise<T>): Promise<T> {
    const { silentAfterMs } = this.#options;
    if (!this.#isSilent) return this.#within(silentAfterMs, run);
    void this.#probe(silentAfterMs);
    throw this.#silence();
  }

  /** A claim that gets no answer takes a place among the executions that a process may run. */
  async claim(id: string, lease: Lease, options?: ClaimOptions): Promise<ClaimedExecution | undefined> {
    const claimed = await this.ask((store) => store.claim(id, lease, options));
    if (claimed !== undefined) this.#renewalsFailSince = undefined;
    return claimed;
  }

  /**
   * Renews the lease that a runner has here. The runner believes that it has one lease for all shards: when its renewals have failed for a quarter of
   * the lease, it is told that it has lost what it runs here, before another process may take it.
   *
   * @returns the ids of those that are lost.
   */
  async renew(held: Parameters<ExecutionStore['renew']>[0], lease: Lease): Promise<readonly string[]> {
    const requestedAt = leaseTime();
    try {
      // The leases of other shards must not end while this one is waited for.
      const lost = await this.#within(Math.max(lease.leaseMs / 3, shortestRenewalMs), (store) =>
        store.renew(held, lease),
      );
      this.#renewalsFailSince = undefined;
      return lost;
    } catch {
      this.#renewalsFailSince ??= requestedAt;
      if (leaseTime() - this.#renewalsFailSince < lease.leaseMs / 4) return [];
      for (const giveUp of this.#commits) giveUp();
      return held.map(({ executionId }) => executionId);
    }
  }

  /** A commit that is without an answer when the runner has lost its lease is `fenced`. Whether it was written, the next runner finds out. */
  async commit(commit: Commit): Promise<CommitOutcome> {
    const { promise: fenced, resolve } = Promise.withResolvers<CommitOutcome>();
    const giveUp = (): void => resolve({ status: 'fenced' });
    this.#commits.add(giveUp);
    try {
      return await Promise.race([this.call((store) => store.commit(commit)), fenced]);
    } finally {
      this.#commits.delete(giveUp);
    }
  }

  /** A call that fails after this time. */
  async #within<T>(ms: number, run: (store: ExecutionStore) => Promise<T>): Promise<T> {
    const { promise: silence, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(this.#silence()), ms);
    try {
      const answer = await Promise.race([this.call(run), silence]);
      this.#answered();
      return answer;
    } catch (error) {
      if (isUnavailable(error)) this.#failed(error);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Finds out whether it answers again. Never rejects. */
  async #probe(ms: number): Promise<void> {
    if (this.#isProbing) return;
    this.#isProbing = true;
    await this.#within(ms, (store) => store.find('anyone', '')).catch(() => {});
    this.#isProbing = false;
  }

  get #name(): string {
    return `shard ${this.#index + 1} of ${this.#options.storages.length}`;
  }

  #silence(): UnavailableError {
    return new UnavailableError('STORAGE_UNAVAILABLE', `The storage does not answer (${this.#name})`);
  }

  #answered(): void {
    if (!this.#isSilent) return;
    this.#isSilent = false;
    this.#options.logger.info({}, `${this.#name} answers again`);
  }

  #failed(error: unknown): void {
    if (this.#isSilent) return;
    this.#isSilent = true;
    const message = `${this.#name} does not answer; its executions wait, and those of other shards continue`;
    this.#options.logger.warn({ err: error }, message);
  }
}

export function isUnavailable(error: unknown): boolean {
  return isHalyardError(error) && error.kind === 'unavailable';
}
