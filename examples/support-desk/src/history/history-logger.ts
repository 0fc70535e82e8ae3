import type { Clock, JsonObject, Logger, SpanContext, TelemetrySink } from '@halyard/contracts';

const severities = { debug: 5, info: 9, warn: 13, error: 17 } as const;

/** A logger whose lines are only recorded, with the time of the clock of the history. */
export function historyLogger(sink: TelemetrySink, clock: Clock, active: () => SpanContext | undefined): Logger {
  const write = (level: keyof typeof severities, fields: object, body: string): void => {
    const { spanId, traceId } = { ...active(), ...fields };
    sink.logged({
      timestamp: clock.now(),
      traceId: traceId ?? null,
      spanId: spanId ?? null,
      severityNumber: severities[level],
      severityText: level.toUpperCase(),
      body,
      attributes: attributesOf(fields),
    });
  };
  return {
    debug: (fields, message) => write('debug', fields, message),
    info: (fields, message) => write('info', fields, message),
    warn: (fields, message) => write('warn', fields, message),
    error: (fields, message) => write('error', fields, message),
  };
}

function attributesOf(fields: object): JsonObject {
  const readable = JSON.stringify(fields, (_key, value: unknown) =>
    value instanceof Error ? { type: value.name, message: value.message } : value,
  );
  const { spanId: _span, traceId: _trace, ...attributes } = JSON.parse(readable) as JsonObject;
  return attributes;
}
