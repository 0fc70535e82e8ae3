import type { LogRecord, SpanRecord, TelemetrySink } from '@halyard/contracts';

/** A sink that collects spans. */
export class ReceivedSpans implements TelemetrySink {
  readonly started: SpanRecord[] = [];
  readonly ended: SpanRecord[] = [];
  readonly logs: LogRecord[] = [];

  spanStarted(span: SpanRecord): void {
    this.started.push(span);
  }

  spanEnded(span: SpanRecord): void {
    this.ended.push(span);
  }

  logged(log: LogRecord): void {
    this.logs.push(log);
  }

  named(name: string): SpanRecord | undefined {
    return this.ended.find((span) => span.name === name);
  }
}
