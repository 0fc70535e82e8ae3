import type { ServerResponse } from 'node:http';
import { CallerSlots } from '../lifecycle/caller-slots.ts';
import type { Limits } from '../limits.ts';
import { sendPing } from './send-events.ts';

/** Limits streams, or answers that count like streams. */
export function streamSlots({
  streamsPerCaller,
  streamsPerProcess,
}: Pick<Limits, 'streamsPerCaller' | 'streamsPerProcess'>): CallerSlots {
  return new CallerSlots({
    what: 'open streams',
    advice: 'close one first',
    code: 'TOO_MANY_STREAMS',
    perCaller: streamsPerCaller,
    perProcess: streamsPerProcess,
  });
}

/** Limits the open streams of a server, and pings them with one timer, which exists only while there are any. */
export class OpenStreams {
  readonly #pingMs: number;
  readonly slots: CallerSlots;
  readonly #responses = new Set<ServerResponse>();
  #pings: NodeJS.Timeout | undefined;

  constructor(limits: Pick<Limits, 'streamsPerCaller' | 'streamsPerProcess' | 'pingMs'>) {
    this.#pingMs = limits.pingMs;
    this.slots = streamSlots(limits);
  }

  get count(): number {
    return this.#responses.size;
  }

  /** Pings this response until it is closed. */
  keepAlive(response: ServerResponse): void {
    this.#responses.add(response);
    this.#pings ??= setInterval(() => this.#ping(), this.#pingMs).unref();
    response.once('close', () => {
      this.#responses.delete(response);
      if (this.#responses.size > 0) return;
      clearInterval(this.#pings);
      this.#pings = undefined;
    });
  }

  #ping(): void {
    for (const response of this.#responses) sendPing(response);
  }
}
