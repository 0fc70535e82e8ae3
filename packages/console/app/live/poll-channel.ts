import { apiUrl, clientHeader } from '../api/client.ts';
import type { ChannelState } from './follow-channel.ts';

const intervalMs = 3_000;

/**
 * Says every few seconds that something may have changed, as long as the server answers. For a
 * user's token, which opens no channel.
 */
export class PollChannel {
  readonly #onTick: () => void;
  readonly #onState: (state: ChannelState) => void;
  readonly #abort = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: { readonly onTick: () => void; readonly onState: (state: ChannelState) => void }) {
    this.#onTick = options.onTick;
    this.#onState = options.onState;
    this.#onState('connecting');
    void this.#poll();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#abort.abort();
  }

  async #poll(): Promise<void> {
    const { signal } = this.#abort;
    const isAlive = await fetch(`${apiUrl}healthz`, { headers: clientHeader, signal }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (signal.aborted) return;
    this.#onState(isAlive ? 'open' : 'lost');
    if (isAlive) this.#onTick();
    this.#timer = setTimeout(() => void this.#poll(), intervalMs);
  }
}
