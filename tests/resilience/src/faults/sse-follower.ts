import { setTimeout as delay } from 'node:timers/promises';
import type { HttpClient, SeenEvent } from './harness/http-client.ts';
import type { Replica } from './harness/replica-process.ts';

/**
 * An event with the times at which it was written and received, in milliseconds since the epoch.
 */
export interface ReceivedEvent extends SeenEvent {
  readonly writtenAt: number;
  readonly receivedAt: number;
  /** The replica that sent it. */
  readonly replica: number;
  readonly connectedAt: number;
}

export function now(): number {
  return performance.timeOrigin + performance.now();
}

const retryMs = 50;

/**
 * A client that follows an execution to its end. When a connection breaks, it continues on another
 * replica after the last event it received.
 */
export class SseFollower {
  readonly events: ReceivedEvent[] = [];
  /** The replicas it was connected to, in order. */
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
          this.#receive(event, connection);
      } catch {
        // The connection broke, or the replica is down.
        await delay(retryMs);
      }
    }
  }

  #receive(event: SeenEvent, connection: Pick<ReceivedEvent, 'connectedAt' | 'replica'>): void {
    const { timestamp } = JSON.parse(event.text) as { readonly timestamp: string };
    const expected = (this.events.at(-1)?.seq ?? 0) + 1;
    if (event.seq < expected) this.duplicates += 1;
    else this.gaps += event.seq - expected;
    this.events.push({ ...event, ...connection, receivedAt: now(), writtenAt: Date.parse(timestamp) });
  }
}
