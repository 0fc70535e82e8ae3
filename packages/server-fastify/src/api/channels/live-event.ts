import { describedSpan } from '@halyard/contracts';
import type { TelemetryEvent } from '@halyard/core/server';
import { describeLog, describeSpan } from '../routes/observability/describe-telemetry.ts';

/** An event whose message is serialized once, when the first watcher needs it. */
export class LiveEvent {
  readonly event: TelemetryEvent;
  readonly #timestamp: string;
  #text: string | undefined;

  /** @param isSent whether its message will be serialized. */
  constructor(event: TelemetryEvent, timestamp: string, isSent: boolean) {
    // Described now: when the message is serialized, the span may have ended already.
    this.event = isSent && event.type === 'span:start' ? { ...event, span: describedSpan(event.span) } : event;
    this.#timestamp = timestamp;
  }

  get traceId(): string | null {
    return this.event.type === 'log' ? this.event.log.traceId : this.event.span.traceId;
  }

  get text(): string {
    this.#text ??= JSON.stringify(toMessage(this.event, this.#timestamp));
    return this.#text;
  }
}

function toMessage(event: TelemetryEvent, timestamp: string): object {
  if (event.type === 'log') return { type: 'OBSERVABILITY_LOG', success: true, data: describeLog(event.log) };
  const data = { type: event.type, span: describeSpan(describedSpan(event.span)), timestamp };
  return { type: 'OBSERVABILITY_EVENT', success: true, data };
}
