import type { Clock } from '@halyard/contracts';

const minuteMs = 60_000;
/** As many addresses are remembered; then the one that began first is forgotten. */
const mostAddresses = 10_000;

interface Tally {
  readonly since: number;
  count: number;
}

/** Counts rejected credentials by address and minute, so that guessing gets slow. */
export class Rejections {
  readonly #perMinute: number;
  readonly #clock: Clock;
  /** By the time they began: a tally that begins anew goes to the end. */
  readonly #tallies = new Map<string, Tally>();

  constructor(perMinute: number, clock: Clock) {
    this.#perMinute = perMinute;
    this.#clock = clock;
  }

  /** Counts one. Gives the seconds until the address may be wrong again, where it has been too often; else undefined. */
  add(address: string): number | undefined {
    const now = this.#clock.now();
    const tally = this.#tallyOf(address, now);
    tally.count += 1;
    return tally.count > this.#perMinute ? Math.ceil((tally.since + minuteMs - now) / 1_000) : undefined;
  }

  #tallyOf(address: string, now: number): Tally {
    const known = this.#tallies.get(address);
    if (known !== undefined && now - known.since < minuteMs) return known;
    this.#tallies.delete(address);
    const [oldest] = this.#tallies.keys();
    if (this.#tallies.size >= mostAddresses && oldest !== undefined) this.#tallies.delete(oldest);
    const tally = { since: now, count: 0 };
    this.#tallies.set(address, tally);
    return tally;
  }
}
