import type { Clock } from '@halyard/contracts';
import { isoTime } from '@halyard/core/server';
import type { Connection } from '../define/define-channel.ts';

/** The shortest time between two messages. */
const intervalMs = 1_000;

/** Tells a client that something has changed: at once, then at most once in each interval. */
export class ChangeSender {
  readonly #connection: Connection;
  readonly #clock: Clock;
  #timer: NodeJS.Timeout | undefined;
  #isWaiting = false;

  constructor(connection: Connection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
    connection.onClose(() => clearTimeout(this.#timer));
  }

  changed(): void {
    if (this.#timer !== undefined) {
      this.#isWaiting = true;
      return;
    }
    this.#isWaiting = false;
    const data = { timestamp: isoTime(this.#clock.now()) };
    this.#connection.send(JSON.stringify({ type: 'OBSERVABILITY_CHANGE', success: true, data }));
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#isWaiting) this.changed();
    }, intervalMs).unref();
  }
}
