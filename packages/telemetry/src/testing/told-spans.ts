import type { LogRecord, SpanRecord, TelemetrySink } from '@halyard/contracts';

/** Keeps what a sink is told. */
export class ToldSpans implements TelemetrySink {
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
