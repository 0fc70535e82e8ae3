import type { Clock, Logger, Owner, SpanRecord } from '@halyard/contracts';
import { isoTime, type Telemetry, type TelemetryEvent } from '@halyard/core/server';
import { LiveEvent } from './live-event.ts';
import { LiveTrace } from './live-trace.ts';

export interface Watcher {
  readonly owner: Owner;
  readonly filter: { readonly entityType?: string | undefined; readonly entityId?: string | undefined };
  /**
   * Undefined: the events are not wanted themselves. To serialize them takes much longer than to
   * tell that there are some.
   */
  readonly send: ((texts: readonly string[]) => void) | undefined;
  /** Called with each batch that has spans of the watcher. */
  readonly changed?: () => void;
}

/**
 * The maximum number of traces in memory. Those that are removed are read from the store again when
 * they have a new event.
 */
const maxTraces = 10_000;

/**
 * The part of a trace that is read. Users whose entries come later receive only the events after
 * their next one.
 */
const firstSpans = { limit: 1_000, offset: 0, maxBytes: 4 * 1024 * 1024 } as const;

/**
 * Sends the events of this process to watchers, in one batch per turn of the event loop. A filter
 * applies to the trace: a watcher receives all events of the traces that match. Without watchers it
 * does nothing.
 */
export class LiveTelemetry {
  readonly #telemetry: Telemetry;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #watchers = new Set<Watcher>();
  readonly #traces = new Map<string, LiveTrace>();
  /** Events of traces that are being read from the store. */
  readonly #deferred = new Map<string, LiveEvent[]>();
  #batch: LiveEvent[] = [];
  #unsubscribe: (() => void) | undefined;

  constructor(telemetry: Telemetry, { clock, logger }: { readonly clock: Clock; readonly logger: Logger }) {
    this.#telemetry = telemetry;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** @returns a function that removes the watcher. */
  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher);
    this.#unsubscribe ??= this.#telemetry.subscribe((event) => this.#receive(event));
    return () => {
      this.#watchers.delete(watcher);
      if (this.#watchers.size > 0) return;
      this.#unsubscribe?.();
      this.#unsubscribe = undefined;
      this.#traces.clear();
      this.#batch = [];
    };
  }

  #receive(event: TelemetryEvent): void {
    // At the end of this turn, together with its other events.
    if (this.#batch.length === 0) setImmediate(() => this.#sendBatch());
    this.#batch.push(new LiveEvent(event, isoTime(this.#clock.now()), this.#isSent()));
  }

  #sendBatch(): void {
    const events = this.#batch;
    this.#batch = [];
    const watchers = [...this.#watchers];
    const known = watchers.some(needsTrace) ? events.filter((event) => this.#hasKnownTrace(event)) : events;
    for (const watcher of watchers) {
      const matching = needsTrace(watcher) ? known.filter((event) => this.#isFor(watcher, event)) : events;
      notify(watcher, matching);
    }
  }

  #isSent(): boolean {
    for (const { send } of this.#watchers) if (send !== undefined) return true;
    return false;
  }

  /**
   * Whether the trace of an event is known. Otherwise the event is deferred until the trace has
   * been read.
   */
  #hasKnownTrace(event: LiveEvent): boolean {
    const { traceId } = event;
    if (traceId === null) return true;
    const waiting = this.#deferred.get(traceId);
    if (waiting !== undefined) {
      waiting.push(event);
      return false;
    }
    const entry = startedEntry(event);
    const trace = this.#traces.get(traceId);
    if (trace !== undefined) {
      if (entry !== undefined) trace.add(entry);
      return true;
    }
    if (entry?.parentSpanId === null) {
      this.#remember(traceId, new LiveTrace([entry]));
      return true;
    }
    this.#deferred.set(traceId, [event]);
    void this.#readTrace(traceId);
    return false;
  }

  /** Reads a trace that started before there were watchers, or in another process. */
  async #readTrace(traceId: string): Promise<void> {
    let trace = new LiveTrace([]);
    try {
      await this.#telemetry.flush();
      const spans = await this.#telemetry.store.findTrace('anyone', traceId, firstSpans);
      trace = new LiveTrace(spans.filter(({ isEntry }) => isEntry));
    } catch (error) {
      this.#logger.warn({ err: error, traceId }, 'a watched trace could not be read');
    }
    const events = this.#deferred.get(traceId) ?? [];
    this.#deferred.delete(traceId);
    this.#remember(traceId, trace);
    // Adds the entries among them to the trace.
    const known = events.filter((event) => this.#hasKnownTrace(event));
    for (const watcher of this.#watchers) {
      if (!needsTrace(watcher)) continue;
      notify(
        watcher,
        known.filter((event) => this.#isFor(watcher, event)),
      );
    }
  }

  #remember(traceId: string, trace: LiveTrace): void {
    if (this.#watchers.size === 0) return;
    this.#traces.set(traceId, trace);
    if (this.#traces.size <= maxTraces) return;
    const [oldest] = this.#traces.keys();
    if (oldest !== undefined) this.#traces.delete(oldest);
  }

  #isFor({ filter, owner }: Watcher, { event, traceId }: LiveEvent): boolean {
    const trace = traceId === null ? undefined : this.#traces.get(traceId);
    if (filter.entityType !== undefined && trace?.entityType !== filter.entityType) return false;
    if (filter.entityId !== undefined && trace?.entityId !== filter.entityId) return false;
    if (owner === 'anyone') return true;
    return event.type === 'log' ? event.log.attributes['userId'] === owner.user : trace?.users.has(owner.user) === true;
  }
}

function notify({ changed, send }: Watcher, events: readonly LiveEvent[]): void {
  send?.(events.map(({ text }) => text));
  if (changed !== undefined && events.some(({ event }) => event.type !== 'log')) changed();
}

function needsTrace({ filter, owner }: Watcher): boolean {
  return owner !== 'anyone' || filter.entityType !== undefined || filter.entityId !== undefined;
}

function startedEntry({ event }: LiveEvent): SpanRecord | undefined {
  return event.type === 'span:start' && event.span.isEntry ? event.span : undefined;
}
