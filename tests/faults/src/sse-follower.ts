import { setTimeout as delay } from 'node:timers/promises';
import type { HttpClient, SeenEvent } from './harness/http-client.ts';
import type { Replica } from './harness/replica-process.ts';

/** An event, and when it was written and heard: milliseconds since the epoch, by the clock of this machine. */
export interface HeardEvent extends SeenEvent {
  readonly writtenAt: number;
  readonly heardAt: number;
  /** Of the connection that it came on. */
  readonly replica: number;
  readonly connectedAt: number;
}

export function now(): number {
  return performance.timeOrigin + performance.now();
}

const retryMs = 50;

/** A client that follows an execution to its end: where a connection breaks, on another replica, from the last event it heard on. */
export class SseFollower {
  readonly events: HeardEvent[] = [];
  /** Which replicas it was connected to, one after the other. */
  readonly replicas: number[] = [];
  gaps = 0;
  duplicates = 0;
  readonly #path: string;
  readonly #client: HttpClient;

  constructor(path: string, client: HttpClient) {
    this.#path = path;
    this.#client = client;
  }

  get isEnded(): boolean {
    return this.events.at(-1)?.type === 'workflow-result';
  }

  async follow(first: Replica, signal: AbortSignal): Promise<void> {
    for (let replica = first; !this.isEnded && !signal.aborted; replica = this.#client.any()) {
      this.replicas.push(replica.index);
      const connection = { replica: replica.index, connectedAt: now() };
      const after = this.events.at(-1)?.seq ?? 0;
      try {
        for await (const event of this.#client.events(this.#path, { after, replica, signal }))
          this.#hear(event, connection);
      } catch {
        // It broke, or that one is not there.
        await delay(retryMs);
      }
    }
  }

  #hear(event: SeenEvent, connection: Pick<HeardEvent, 'connectedAt' | 'replica'>): void {
    const { timestamp } = JSON.parse(event.text) as { readonly timestamp: string };
    const expected = (this.events.at(-1)?.seq ?? 0) + 1;
    if (event.seq < expected) this.duplicates += 1;
    else this.gaps += event.seq - expected;
    this.events.push({ ...event, ...connection, heardAt: now(), writtenAt: Date.parse(timestamp) });
  }
}
