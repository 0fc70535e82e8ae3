import type { JsonObject, JsonValue, LogRecord } from '@halyard/contracts';
import { levelNames, levelOfPino, type LogLevelName, severities } from './log-levels.ts';

export interface LineFormat {
  /** The field with the message. Default: `msg`. */
  readonly messageKey?: string | undefined;
  /**
   * Whether errors keep their messages, which may quote users, models, tools and providers.
   * Default: yes.
   */
  readonly recordsContent?: boolean;
  /** The time for lines without a timestamp. */
  readonly takenAt: number;
}

/** Converts a line of the log to a record; undefined if it is not a JSON object. */
export function toLogRecord(
  line: string,
  { messageKey = 'msg', recordsContent = true, takenAt }: LineFormat,
): LogRecord | undefined {
  const fields = readFields(line);
  if (fields === undefined) return undefined;

  const { hostname: _hostname, level, pid: _pid, spanId, time, traceId, [messageKey]: text, ...rest } = fields;
  const name = levelNamed(level);
  return {
    timestamp: toTime(time) ?? takenAt,
    traceId: typeof traceId === 'string' ? traceId : null,
    spanId: typeof spanId === 'string' ? spanId : null,
    severityNumber: severities[name],
    severityText: name.toUpperCase(),
    body: typeof text === 'string' ? text : '',
    attributes: recordsContent ? withoutDetails(rest) : withoutMessages(rest),
  };
}

/** The fields of a line of pino; undefined if it is not a JSON object. */
function readFields(line: string): JsonObject | undefined {
  try {
    const value = JSON.parse(line) as JsonValue;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Pino writes numbers; a formatter of the app may write names. */
function levelNamed(level: JsonValue | undefined): LogLevelName {
  if (typeof level === 'number') return levelOfPino(level);
  return (typeof level === 'string' && levelNames.find((name) => name === level.toLowerCase())) || 'info';
}

function toTime(time: JsonValue | undefined): number | undefined {
  const at = typeof time === 'string' ? Date.parse(time) : time;
  return typeof at === 'number' && Number.isFinite(at) ? at : undefined;
}

function withoutDetails(fields: JsonObject): JsonObject {
  const { err } = fields;
  return isObject(err) ? { ...fields, err: only(err, ['type', 'message', 'stack']) } : fields;
}

/**
 * Without the fields that errors are logged in, except for their class and code. The stack begins
 * with the message.
 */
function withoutMessages({
  err,
  error: _error,
  reason: _reason,
  warning: _warning,
  ...fields
}: JsonObject): JsonObject {
  return isObject(err) ? { ...fields, err: only(err, ['type', 'code']) } : fields;
}

function only(error: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(error).filter(([name]) => names.includes(name)));
}
