import { systemClock } from '@halyard/core/server';
import type { FastifyServerOptions } from 'fastify';
import { type Logger as PinoLogger, type LoggerOptions as PinoOptions, symbols } from 'pino';
import { LogRecords } from '../../runtime/logging/log-records.ts';
import { defaultLogLevel, logStream } from '../../runtime/logging/log-stream.ts';
import type { ServerOptions } from '../../server-options.ts';
import { type LoggerOptions, redactLogs } from './redact-logs.ts';

type MixinFn = NonNullable<PinoOptions['mixin']>;

/** Converts the lines of a server's logger to records. */
export function recordsFor(logger: ServerOptions['logger']): LogRecords {
  return new LogRecords({
    clock: systemClock,
    messageKey: logger === false ? undefined : toOptions(logger).messageKey,
  });
}

/**
 * The options of a server's logger: with redaction, the ids of the active span, and a record of
 * each line.
 */
export async function loggerOptions(
  logger: ServerOptions['logger'],
  records: LogRecords,
): Promise<FastifyServerOptions['logger']> {
  if (logger === false) return false;
  const { file, transport, stream, ...options } = toOptions(logger);
  return {
    ...redactLogs({ level: defaultLogLevel(), ...options }),
    mixin: spanMixin(records, options.mixin),
    stream: await logStream({ file, messageKey: options.messageKey, stream, transport }, records),
  };
}

/** The logger option of the app, normalized. */
function toOptions(logger: Exclude<ServerOptions['logger'], false>): LoggerOptions {
  if (typeof logger === 'string') return { level: logger };
  return typeof logger === 'object' ? logger : {};
}

/** Adds the ids of the active span to each line that has none. */
export function spanMixin(records: LogRecords, own?: MixinFn): MixinFn {
  return (fields, level, logger) => {
    const added = own?.(fields, level, logger) ?? {};
    return Object.hasOwn(fields, 'traceId') || isBoundToSpan(logger) ? added : { ...records.spanFields(), ...added };
  };
}

function isBoundToSpan(logger: PinoLogger): boolean {
  return String(Reflect.get(logger, symbols.chindingsSym)).includes('"traceId":');
}
