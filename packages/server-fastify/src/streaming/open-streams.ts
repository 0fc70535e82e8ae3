import { HalyardError } from '@halyard/contracts';
import type { Limits } from '../limits.ts';
import type { EventWriter } from './event-writer.ts';

/** A place among the open streams. */
export interface StreamPlace {
  /** Pings from now on. */
  started(writer: Pick<EventWriter, 'ping'>): void;
  leave(): void;
}

/** Emptied when it is left, as a `WorkPlace` is: the set may keep it for a while. */
interface OpenStream {
  writer: Pick<EventWriter, 'ping'> | undefined;
}

/** Counts the open streams of a server and keeps them alive with one timer, which exists only while there are any. */
export class OpenStreams {
  readonly #limits: Pick<Limits, 'streamsPerCaller' | 'streamsPerProcess' | 'pingMs'>;
  readonly #open = new Set<OpenStream>();
  readonly #perCaller = new Map<string, number>();
  #count = 0;
  #pings: NodeJS.Timeout | undefined;

  constructor(limits: Pick<Limits, 'streamsPerCaller' | 'streamsPerProcess' | 'pingMs'>) {
    this.#limits = limits;
  }

  get count(): number {
    return this.#count;
  }

  /** @throws HalyardError `TOO_MANY_STREAMS` for a caller with too many of them, `OVERLOADED` when the process has. */
  enter(caller: string): StreamPlace {
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

    const stream: OpenStream = { writer: undefined };
    return {
      started: (writer) => {
        stream.writer = writer;
        this.#open.add(stream);
        this.#pings ??= setInterval(() => this.#ping(), this.#limits.pingMs).unref();
      },
      leave: () => {
        stream.writer = undefined;
        this.#open.delete(stream);
        this.#leave(caller);
      },
    };
  }

  #leave(caller: string): void {
    const left = (this.#perCaller.get(caller) ?? 1) - 1;
    if (left === 0) this.#perCaller.delete(caller);
    else this.#perCaller.set(caller, left);
    this.#count -= 1;
    if (this.#open.size > 0) return;
    clearInterval(this.#pings);
    this.#pings = undefined;
  }

  #ping(): void {
    for (const { writer } of this.#open) writer?.ping();
  }
}
