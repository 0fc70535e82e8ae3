import type { Clock } from '@halyard/contracts';

const minuteMs = 60_000;
const maxAddresses = 10_000;

interface Window {
  readonly startedAt: number;
  count: number;
}

/** Counts rejected credentials by address and minute, to slow down guessing. */
export class Rejections {
  readonly #perMinute: number;
  readonly #clock: Clock;
  /** In the order of their start. */
  readonly #windows = new Map<string, Window>();

  constructor(perMinute: number, clock: Clock) {
    this.#perMinute = perMinute;
    this.#clock = clock;
  }

  /**
   * Counts a rejection. Returns the seconds until the address may try again if it has exceeded the
   * limit, else undefined.
   */
  add(address: string): number | undefined {
    const now = this.#clock.now();
    const window = this.#findWindow(address, now);
    window.count += 1;
    return window.count > this.#perMinute ? Math.ceil((window.startedAt + minuteMs - now) / 1_000) : undefined;
  }

  #findWindow(address: string, now: number): Window {
    const current = this.#windows.get(address);
    if (current !== undefined && now - current.startedAt < minuteMs) return current;
    this.#windows.delete(address);
    const [oldest] = this.#windows.keys();
    if (this.#windows.size >= maxAddresses && oldest !== undefined) this.#windows.delete(oldest);
    const window = { startedAt: now, count: 0 };
    this.#windows.set(address, window);
    return window;
  }
}
