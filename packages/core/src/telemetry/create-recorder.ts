import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type NewSpan,
  type Recorder,
  type Span,
  type SpanContext,
  spanKinds,
  type SpanRecord,
  spanStatusCodes,
  type TelemetrySink,
} from '@halyard/contracts';
import { InProcessSpan, type SpanOwner, UnsampledSpan } from './in-process-span.ts';

export interface InProcessRecorderOptions {
  readonly sink: TelemetrySink;
  readonly clock: { now(): number };
  /** Whether prompts, replies, arguments and results are recorded; default true. */
  readonly recordsContent?: boolean | undefined;
  /** Describes the service: `service.name`, `service.version`. */
  readonly resource?: Attributes | undefined;
}

/** A recorder that sends its spans to `sink` and nowhere else. */
export function createRecorder(options: InProcessRecorderOptions): Recorder {
  return new InProcessRecorder(options);
}

const idBytes = Buffer.alloc(16);

/**
 * Random, but not secret, as in the SDK of OpenTelemetry: ids of traces and spans grant no access.
 */
function randomHex(bytes: 8 | 16): string {
  for (let at = 0; at < bytes; at += 4) idBytes.writeUInt32BE(Math.floor(Math.random() * 2 ** 32), at);
  return idBytes.toString('hex', 0, bytes);
}

const instrumentationScope: SpanRecord['instrumentationScope'] = { name: '@halyard/core' };
const none: readonly never[] = [];
const unsetStatus: SpanRecord['status'] = { code: spanStatusCodes.unset };

class InProcessRecorder implements Recorder, SpanOwner {
  readonly activeSpan = new AsyncLocalStorage<SpanContext>();
  readonly recordsContent: boolean;
  readonly sink: TelemetrySink;
  readonly clock: { now(): number };
  readonly #resource: Attributes;

  constructor({ clock, recordsContent = true, resource = {}, sink }: InProcessRecorderOptions) {
    this.recordsContent = recordsContent;
    this.sink = sink;
    this.clock = clock;
    this.#resource = resource;
  }

  start(span: NewSpan): Span {
    const parent = span.parent === undefined ? this.active() : (span.parent ?? undefined);
    const traceId = parent?.traceId ?? randomHex(16);
    const spanId = randomHex(8);
    if (parent?.isSampled === false) return new UnsampledSpan({ traceId, spanId }, this);

    const started: SpanRecord = {
      traceId,
      spanId,
      parentSpanId: parent?.spanId ?? null,
      isEntry: span.isEntry ?? parent === undefined,
      name: span.name,
      kind: span.kind ?? spanKinds.internal,
      startTime: span.startTime ?? this.clock.now(),
      endTime: null,
      attributes: span.attributes ?? {},
      describe: span.describe,
      status: unsetStatus,
      events: none,
      links: span.links?.map(({ spanId: id, traceId: trace }) => ({ traceId: trace, spanId: id })) ?? none,
      resource: this.#resource,
      instrumentationScope,
    };
    this.sink.spanStarted(started);
    return new InProcessSpan(started, this);
  }

  active(): SpanContext | undefined {
    return this.activeSpan.getStore();
  }
}
