import { AsyncLocalStorage } from 'node:async_hooks';
import type { Attributes, NewSpan, Recorder, Span, SpanContext, TelemetrySink } from '@halyard/contracts';
import { type Frame, RecordedSpan, type SpanSurroundings, UnsampledSpan } from './recorded-span.ts';

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
  readonly frames = new AsyncLocalStorage<Frame>();
  readonly recordsContent: boolean;
  readonly resource: Attributes;
  readonly began: number;
  readonly #sink: TelemetrySink;
  readonly #clock: { now(): number };

  constructor({ clock, recordsContent = true, resource = {}, sink }: InProcessRecorderOptions) {
    this.recordsContent = recordsContent;
    this.resource = resource;
    this.#sink = sink;
    this.#clock = clock;
    this.began = clock.now();
  }

  start(span: NewSpan): Span {
    const parent = span.parent === undefined ? this.frames.getStore()?.active : (span.parent ?? undefined);
    if (parent?.isSampled === false) return new UnsampledSpan(this.frames, parent);
    const started = new RecordedSpan(this, span, parent);
    this.#sink.spanStarted(started);
    return started;
  }

  active(): SpanContext | undefined {
    return this.frames.getStore()?.active;
  }

  now(): number {
    return this.#clock.now();
  }

  ended(span: RecordedSpan): void {
    this.#sink.spanEnded(span);
  }
}
