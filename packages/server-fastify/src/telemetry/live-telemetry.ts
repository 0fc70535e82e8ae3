import type { Clock, Logger, Owner } from '@halyard/contracts';
import { isoTime, type Telemetry, type TelemetryEvent } from '@halyard/core';
import { LiveEvent } from './live-event.ts';
import { LiveTrace } from './live-trace.ts';

/** Who listens, and to what. */
export interface Watcher {
  readonly owner: Owner;
  readonly filter: { readonly entityType?: string | undefined; readonly entityId?: string | undefined };
  send(texts: readonly string[]): void;
}

/** How many traces are remembered; the oldest is forgotten, and looked up again when something happens in it. */
const greatestTraces = 10_000;

/**
 * Tells watchers what happens in this process, a turn at a time. A filter is about the trace: all that happens in one that fits is told, whatever it is.
 *
 * Nothing is done while nobody watches.
 */
export class LiveTelemetry {
  readonly #telemetry: Telemetry;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #watchers = new Set<Watcher>();
  readonly #traces = new Map<string, LiveTrace>();
  /** What happened in traces that are being looked up. */
  readonly #unknown = new Map<string, LiveEvent[]>();
  #happened: LiveEvent[] = [];
  #unsubscribe: (() => void) | undefined;

  constructor(telemetry: Telemetry, { clock, logger }: { readonly clock: Clock; readonly logger: Logger }) {
    this.#telemetry = telemetry;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** @returns what stops it. */
  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher);
    this.#unsubscribe ??= this.#telemetry.subscribe((event) => this.#hear(event));
    return () => {
      this.#watchers.delete(watcher);
      if (this.#watchers.size > 0) return;
      this.#unsubscribe?.();
      this.#unsubscribe = undefined;
      this.#traces.clear();
      this.#happened = [];
    };
  }

  #hear(event: TelemetryEvent): void {
    // After the work of this turn, and together with what else happens in it.
    if (this.#happened.length === 0) setImmediate(() => this.#tell());
    this.#happened.push(new LiveEvent(event, isoTime(this.#clock.now())));
  }

  #tell(): void {
    const events = this.#happened;
    this.#happened = [];
    const watchers = [...this.#watchers];
    const known = watchers.some(wantsTrace) ? events.filter((event) => this.#isKnown(event)) : events;
    for (const watcher of watchers) {
      const told = wantsTrace(watcher) ? known.filter((event) => this.#isFor(watcher, event)) : events;
      watcher.send(told.map(({ text }) => text));
    }
  }

  /** Whether it is known to which trace it belongs; else it is told when that is. */
  #isKnown(event: LiveEvent): boolean {
    const { traceId } = event;
    if (traceId === null) return true;
    const waiting = this.#unknown.get(traceId);
    if (waiting !== undefined) {
      waiting.push(event);
      return false;
    }
    const { event: told } = event;
    const entry = told.type === 'span:start' && told.span.isEntry ? told.span : undefined;
    const trace = this.#traces.get(traceId);
    if (trace !== undefined) {
      if (entry !== undefined) trace.add(entry);
      return true;
    }
    if (entry?.parentSpanId === null) {
      this.#remember(traceId, new LiveTrace([entry]));
      return true;
    }
    this.#unknown.set(traceId, [event]);
    void this.#lookUp(traceId);
    return false;
  }

  /** It began before anybody watched, or elsewhere. */
  async #lookUp(traceId: string): Promise<void> {
    let trace = new LiveTrace([]);
    try {
      await this.#telemetry.flush();
      const spans = await this.#telemetry.store.findTrace('anyone', traceId);
      trace = new LiveTrace(spans.filter(({ isEntry }) => isEntry));
    } catch (error) {
      this.#logger.warn({ err: error, traceId }, 'a trace that is watched could not be read');
    }
    const events = this.#unknown.get(traceId) ?? [];
    this.#unknown.delete(traceId);
    this.#remember(traceId, trace);
    // Entries that came meanwhile are known now.
    const known = events.filter((event) => this.#isKnown(event));
    for (const watcher of this.#watchers) {
      if (!wantsTrace(watcher)) continue;
      watcher.send(known.filter((event) => this.#isFor(watcher, event)).map(({ text }) => text));
    }
  }

  #remember(traceId: string, trace: LiveTrace): void {
    if (this.#watchers.size === 0) return;
    this.#traces.set(traceId, trace);
    if (this.#traces.size <= greatestTraces) return;
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

function wantsTrace({ filter, owner }: Watcher): boolean {
  return owner !== 'anyone' || filter.entityType !== undefined || filter.entityId !== undefined;
}
