import { EventSourceParserStream } from 'eventsource-parser/stream';

/** An event that the server sent, or a request that was sent to it. */
export interface LoggedEvent {
  readonly index: number;
  /** Milliseconds since the request. */
  readonly at: number;
  readonly type: string;
  readonly data: unknown;
}

/** How long a reply took. */
export interface Timing {
  readonly traceId: string;
  readonly firstMs: number | undefined;
  readonly totalMs: number | undefined;
}

export interface LogState {
  readonly events: readonly LoggedEvent[];
  /** By the id of the message that the server announced. */
  readonly timings: Readonly<Record<string, Timing>>;
  /** The last request, as it was sent. */
  readonly request: { readonly path: string; readonly body: unknown } | undefined;
}

/** More are dropped, the oldest first. */
const maxEvents = 20_000;
/** Chunks arrive faster than a page can usefully show them. */
const notifyMs = 100;

/** The raw event stream of a lane, in its order. */
export class EventLog {
  #events: LoggedEvent[] = [];
  #timings: Record<string, Timing> = {};
  #request: LogState['request'];
  #count = 0;
  #state: LogState = { events: [], timings: {}, request: undefined };
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): LogState => this.#state;

  /** @returns a function that reads the reply, until it ends. */
  begin(path: string, body: unknown, traceId: string): (reply: ReadableStream<Uint8Array>) => Promise<void> {
    const startedAt = performance.now();
    this.#request = { path, body };
    this.#add(startedAt, 'request', { path, body });
    return (reply) => this.#read(reply, startedAt, traceId);
  }

  clear(): void {
    this.#events = [];
    this.#notify();
  }

  async #read(reply: ReadableStream<Uint8Array>, startedAt: number, traceId: string): Promise<void> {
    const events = reply
      .pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
      .pipeThrough(new EventSourceParserStream())
      .getReader();
    let messageId: string | undefined;
    try {
      for (let next = await events.read(); !next.done; next = await events.read()) {
        const data = parsed(next.value.data);
        const { messageId: announced, type } = readFields(data);
        if (type === 'start' && announced !== undefined) messageId = announced;
        if (messageId !== undefined) this.#time(messageId, type, startedAt, traceId);
        this.#add(startedAt, type, data);
      }
    } catch (error) {
      this.#add(startedAt, 'connection lost', String(error));
    }
    if (messageId !== undefined) {
      const timing = this.#timings[messageId] ?? { traceId, firstMs: undefined };
      this.#timings = {
        ...this.#timings,
        [messageId]: { ...timing, totalMs: performance.now() - startedAt },
      };
    }
    this.#notify();
  }

  #time(messageId: string, type: string, startedAt: number, traceId: string): void {
    const known = this.#timings[messageId];
    const isFirst = type === 'text-delta' || type === 'tool-input-start' || type === 'reasoning-delta';
    if (known?.traceId === traceId && (known.firstMs !== undefined || !isFirst)) return;
    const firstMs = isFirst ? performance.now() - startedAt : undefined;
    this.#timings = { ...this.#timings, [messageId]: { traceId, firstMs, totalMs: undefined } };
  }

  #add(startedAt: number, type: string, data: unknown): void {
    this.#events.push({ index: this.#count, at: performance.now() - startedAt, type, data });
    this.#count += 1;
    if (this.#events.length > maxEvents) this.#events = this.#events.slice(-maxEvents / 2);
    this.#timer ??= setTimeout(() => this.#notify(), notifyMs);
  }

  #notify(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#state = { events: [...this.#events], timings: this.#timings, request: this.#request };
    for (const listener of this.#listeners) listener();
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function readFields(data: unknown): { readonly type: string; readonly messageId: string | undefined } {
  if (typeof data !== 'object' || data === null) return { type: String(data), messageId: undefined };
  const { messageId, type } = data as { readonly type?: unknown; readonly messageId?: unknown };
  return { type: String(type), messageId: typeof messageId === 'string' ? messageId : undefined };
}
