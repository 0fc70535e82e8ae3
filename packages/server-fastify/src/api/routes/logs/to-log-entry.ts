import type { JsonValue, LogRecord } from '@halyard/contracts';
import { toLevelName } from '../../../runtime/logging/log-levels.ts';
import { LogEntry } from './schemas.ts';

const named: ReadonlySet<string> = new Set(Object.keys(LogEntry.properties));

/**
 * A record as the API returns it: one flat object. Fields that the API declares are strings,
 * whatever value the app logged.
 */
export function toLogEntry(record: LogRecord): LogEntry {
  const { attributes, body, spanId, timestamp, traceId } = record;
  return {
    ...Object.fromEntries(
      Object.entries(attributes).map(([name, value]) => [name, named.has(name) ? toText(value) : value]),
    ),
    timestamp: new Date(timestamp).toISOString(),
    level: toLevelName(record),
    msg: body,
    ...(traceId !== null && { traceId }),
    ...(spanId !== null && { spanId }),
  };
}

function toText(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
