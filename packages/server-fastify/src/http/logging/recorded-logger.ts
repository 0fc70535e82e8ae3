import type { Logger } from '@halyard/contracts';
import { pino } from 'pino';
import { isEnabled } from '../../runtime/logging/log-levels.ts';
import type { LogRecords } from '../../runtime/logging/log-records.ts';
import { spanMixin } from './create-logger.ts';
import { redactLogs } from './redact-logs.ts';

/**
 * A logger for the plugin in an app of its own: writes to the app's logger and records, redacted,
 * the lines that the app's level includes.
 */
export function recordedLogger(log: Logger, records: LogRecords): Logger {
  const recording = pino({ ...redactLogs({ level: 'trace' }), base: null, mixin: spanMixin(records) }, records);
  const write = (level: keyof Logger, fields: object, message: string): void => {
    log[level](fields, message);
    if (isEnabled(log, level)) recording[level](fields, message);
  };
  return {
    debug: (fields, message) => write('debug', fields, message),
    info: (fields, message) => write('info', fields, message),
    warn: (fields, message) => write('warn', fields, message),
    error: (fields, message) => write('error', fields, message),
  };
}
