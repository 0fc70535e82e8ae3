import type { SpanRecord } from './telemetry.ts';

/** A span as it is now, as a plain record: for who keeps it while it goes on. */
// A class, as V8 takes literals that live long for ones that live for ever.
export class SpanSnapshot implements SpanRecord {
  readonly traceId: SpanRecord['traceId'];
  readonly spanId: SpanRecord['spanId'];
  readonly parentSpanId: SpanRecord['parentSpanId'];
  readonly isEntry: SpanRecord['isEntry'];
  readonly name: SpanRecord['name'];
  readonly kind: SpanRecord['kind'];
  readonly startTime: SpanRecord['startTime'];
  readonly endTime: SpanRecord['endTime'];
  readonly attributes: SpanRecord['attributes'];
  readonly status: SpanRecord['status'];
  readonly events: SpanRecord['events'];
  readonly links: SpanRecord['links'];
  readonly resource: SpanRecord['resource'];
  readonly instrumentationScope: SpanRecord['instrumentationScope'];

  constructor(span: SpanRecord) {
    this.traceId = span.traceId;
    this.spanId = span.spanId;
    this.parentSpanId = span.parentSpanId;
    this.isEntry = span.isEntry;
    this.name = span.name;
    this.kind = span.kind;
    this.startTime = span.startTime;
    this.endTime = span.endTime;
    this.attributes = { ...span.attributes };
    this.status = span.status;
    this.events = span.events;
    this.links = span.links;
    this.resource = span.resource;
    this.instrumentationScope = span.instrumentationScope;
  }
}
