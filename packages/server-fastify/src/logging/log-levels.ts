import type { LogRecord } from '@halyard/contracts';

/** The levels of a log by their names, as OpenTelemetry numbers severities. */
export const severities = { trace: 1, debug: 5, info: 9, warn: 13, error: 17, fatal: 21 } as const;
export type LogLevelName = keyof typeof severities;

export const levelNames = [
  'trace',
  'debug',
  'info',
  'warn',
  'error',
  'fatal',
] as const satisfies readonly LogLevelName[];

/** The name of pino's number: that of the nearest level below it, for levels of an app's own. */
export function levelOfPino(number: number): LogLevelName {
  return levelNames[Math.min(Math.max(Math.floor(number / 10) - 1, 0), levelNames.length - 1)] ?? 'info';
}

export function levelOf({ severityNumber }: Pick<LogRecord, 'severityNumber'>): LogLevelName {
  return levelNames.findLast((name) => severities[name] <= severityNumber) ?? 'trace';
}
