import type { ServerResponse } from 'node:http';
import { sendPing } from './send-events.ts';

/** The open streams of a server. One timer, which exists only while there are any, pings them. */
export class OpenStreams {
  readonly #pingMs: number;
  readonly #responses = new Set<ServerResponse>();
  #pings: NodeJS.Timeout | undefined;

  constructor(pingMs: number) {
    this.#pingMs = pingMs;
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
