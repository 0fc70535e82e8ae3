import type { StreamStore } from '@halyard/contracts';
import type { SharedInterval } from '../../async/shared-interval.ts';

export interface StreamChangesOptions {
  readonly store: Pick<StreamStore, 'watch'>;
  readonly ticks: SharedInterval;
  /** Ends every wait. */
  readonly signal: AbortSignal;
  /** A wait ends at the earliest so long after the one before. */
  readonly minMs: number;
  /** The longest wait: the store sends no notification when the writer of a stream dies. */
  readonly maxMs: number;
}

/**
 * Lets a caller wait for changes of a stream. Changes between two waits are not missed. Must be
 * closed.
 */
export class StreamChanges {
  readonly #options: StreamChangesOptions;
  readonly #removeTick: () => void;
  #streamId: string | undefined;
  #unwatch: (() => void) | undefined;
  #hasChanged = false;
  #elapsedMs = 0;
  #wake: (() => void) | undefined;

  constructor(options: StreamChangesOptions) {
    this.#options = options;
    this.#removeTick = options.ticks.add(() => this.#onTick());
    options.signal.addEventListener('abort', this.#onAbort);
  }

  /** Watches this stream from now on, instead of the one before. */
  watch(streamId: string): void {
    if (streamId === this.#streamId) return;
    this.#unwatch?.();
    this.#streamId = streamId;
    this.#unwatch = this.#options.store.watch(streamId, () => this.notify());
  }

  /** Reports a change that the store does not know of. */
  notify(): void {
    this.#hasChanged = true;
    if (this.#elapsedMs >= this.#options.minMs) this.#wake?.();
  }

  /** Resolves after a change, after `maxMs`, or when the signal is aborted. */
  async next(): Promise<void> {
    if (this.#options.signal.aborted) return;
    if (!this.#hasChanged || this.#elapsedMs < this.#options.minMs) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
    this.#hasChanged = false;
    this.#elapsedMs = 0;
  }

  close(): void {
    this.#removeTick();
    this.#unwatch?.();
    this.#options.signal.removeEventListener('abort', this.#onAbort);
  }

  readonly #onAbort = (): void => this.#wake?.();

  #onTick(): void {
    this.#elapsedMs += this.#options.ticks.everyMs;
    if (this.#hasChanged || this.#elapsedMs >= this.#options.maxMs) this.#wake?.();
  }
}
