import { jsonBytes } from '../../json/json-bytes.ts';

const maxEvents = 1_000;
const maxBytes = 1024 * 1024;

/**
 * Limits the events that wait for a slow consumer: to 1 000 with 1 MiB of JSON, or to a single
 * larger one.
 */
export class EventRoom {
  #events = 0;
  #bytes = 0;

  /** @returns false when there is no room for the event. */
  take(event: object): boolean {
    const bytes = jsonBytes(event);
    const hasRoom = this.#events < maxEvents && this.#bytes + bytes <= maxBytes;
    if (!hasRoom && this.#events > 0) return false;
    this.#events += 1;
    this.#bytes += bytes;
    return true;
  }

  clear(): void {
    this.#events = 0;
    this.#bytes = 0;
  }
}
