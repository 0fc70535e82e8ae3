import type { ServerResponse } from 'node:http';
import { HalyardError } from '@halyard/contracts';
import type { Limits } from '../limits.ts';
import { sendPing } from './send-events.ts';

type StreamLimits = Pick<Limits, 'streamsPerCaller' | 'streamsPerProcess' | 'pingMs'>;

/** Limits the open streams of a server, in all and per caller, and pings them with one timer, which exists only while there are any. */
export class OpenStreams {
  readonly #limits: StreamLimits;
  readonly #perCaller = new Map<string, number>();
  readonly #responses = new Set<ServerResponse>();
  #count = 0;
  #pings: NodeJS.Timeout | undefined;

  constructor(limits: StreamLimits) {
    this.#limits = limits;
  }

  get count(): number {
    return this.#count;
  }

  /**
   * Counts a stream of this caller.
   *
   * @returns a function that ends that; to be called once.
   * @throws HalyardError `TOO_MANY_STREAMS` when the caller has too many of them, `OVERLOADED` when the process has.
   */
  reserve(caller: string): () => void {
    const { streamsPerCaller, streamsPerProcess } = this.#limits;
    const ofCaller = this.#perCaller.get(caller) ?? 0;
    if (ofCaller >= streamsPerCaller) {
      throw new HalyardError(
        'rate-limited',
        'TOO_MANY_STREAMS',
        `You have ${streamsPerCaller} open streams: close one first`,
      );
    }
    if (this.#count >= streamsPerProcess)
      throw new HalyardError('unavailable', 'OVERLOADED', 'The server has too many open streams');
    this.#perCaller.set(caller, ofCaller + 1);
    this.#count += 1;
    return () => this.#release(caller);
  }

  /** Pings this response until it is closed. */
  keepAlive(response: ServerResponse): void {
    this.#responses.add(response);
    this.#pings ??= setInterval(() => this.#ping(), this.#limits.pingMs).unref();
    response.once('close', () => {
      this.#responses.delete(response);
      if (this.#responses.size > 0) return;
      clearInterval(this.#pings);
      this.#pings = undefined;
    });
  }

  #release(caller: string): void {
    const left = (this.#perCaller.get(caller) ?? 1) - 1;
    if (left === 0) this.#perCaller.delete(caller);
    else this.#perCaller.set(caller, left);
    this.#count -= 1;
  }

  #ping(): void {
    for (const response of this.#responses) sendPing(response);
  }
}
