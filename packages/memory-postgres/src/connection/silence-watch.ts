import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@halyard/contracts';
import { storageUnavailable } from './storage-unavailable.ts';

/** How long a query may take before the server is probed. */
const patienceMs = 4_000;
const retryMs = 1_000;

/** How to find out whether a server responds. */
export interface Probing {
  /** Rejects when the server does not respond on a new connection. */
  readonly probe: () => Promise<void>;
  /** Closes all connections, so that their queries reject. */
  readonly closeConnections: () => void;
}

/**
 * Notices a server that is silent: its connections are open, and it does not respond. Only a second
 * connection can tell a silent server from a slow statement, so a query that takes long starts a
 * probe. While the server is silent, queries reject at once.
 */
export class SilenceWatch {
  readonly #probing: Probing;
  readonly #logger: Logger;
  readonly #closing = new AbortController();
  #isProbing = false;
  #failure: unknown;

  constructor(probing: Probing, logger: Logger) {
    this.#probing = probing;
    this.#logger = logger;
  }

  /**
   * Runs a query. @throws UnavailableError (`STORAGE_UNAVAILABLE`) while the server is known to be
   * silent.
   */
  async run<Result>(query: () => Promise<Result>): Promise<Result> {
    if (this.#failure !== undefined) throw storageUnavailable(this.#failure);
    const timer = setInterval(() => void this.#check(), patienceMs).unref();
    try {
      return await query();
    } finally {
      clearInterval(timer);
    }
  }

  close(): void {
    this.#closing.abort();
  }

  /** Begins to probe, unless a probe is running. */
  async #check(): Promise<void> {
    if (this.#isProbing) return;
    this.#isProbing = true;
    this.#failure = await this.#probe();
    if (this.#failure !== undefined) await this.#untilItResponds(this.#failure);
    this.#isProbing = false;
  }

  async #untilItResponds(failure: unknown): Promise<void> {
    const { signal } = this.#closing;
    this.#logger.warn({ err: failure }, 'The database server does not respond; its connections were closed');
    this.#probing.closeConnections();
    while (this.#failure !== undefined && !signal.aborted) {
      await delay(retryMs, undefined, { signal, ref: false }).catch(() => {});
      this.#failure = await this.#probe();
    }
    if (this.#failure === undefined) this.#logger.info({}, 'The database server responds again');
  }

  async #probe(): Promise<unknown> {
    try {
      await this.#probing.probe();
      return undefined;
    } catch (error) {
      return error;
    }
  }
}
