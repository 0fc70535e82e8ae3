import { AsyncLocalStorage } from 'node:async_hooks';
import type { Attributes, NewSpan, Recorder, Span, SpanContext, TelemetrySink } from '@halyard/contracts';
import { RecordedSpan, type SpanSurroundings, UnsampledSpan } from './recorded-span.ts';
import { Telemetry } from './telemetry.ts';

export interface InProcessRecorderOptions {
  readonly sink: TelemetrySink;
  readonly clock: { now(): number };
  /** Whether prompts, answers, arguments and results are recorded; default true. */
  readonly recordsContent?: boolean;
  /** Of the service: `service.name`, `service.version`. */
  readonly resource?: Attributes;
}

/** A recorder whose spans are plain records: nothing but `sink` hears of them. */
export function createRecorder(options: InProcessRecorderOptions): Recorder {
  return new InProcessRecorder(options);
}

class InProcessRecorder implements Recorder, SpanSurroundings {
  readonly activeSpan = new AsyncLocalStorage<SpanContext>();
  readonly recordsContent: boolean;
  readonly resource: Attributes;
  readonly #sink: TelemetrySink;
  readonly #clock: { now(): number };
  readonly #completesSpans: boolean;

  constructor({ clock, recordsContent = true, resource = {}, sink }: InProcessRecorderOptions) {
    this.recordsContent = recordsContent;
    this.resource = resource;
    this.#sink = sink;
    this.#clock = clock;
    // It makes what was put off itself, away from the work that is recorded. Others are told the whole at once.
    this.#completesSpans = sink instanceof Telemetry;
  }

  start(span: NewSpan): Span {
    const parent = span.parent === undefined ? this.activeSpan.getStore() : (span.parent ?? undefined);
    if (parent?.isSampled === false) return new UnsampledSpan(this.activeSpan, parent);
    const started = new RecordedSpan(this, span, parent);
    this.#sink.spanStarted(started);
    return started;
  }

  active(): SpanContext | undefined {
    return this.activeSpan.getStore();
  }

  now(): number {
    return this.#clock.now();
  }

  ended(span: RecordedSpan): void {
    if (!this.#completesSpans) span.complete();
    this.#sink.spanEnded(span);
  }
}
