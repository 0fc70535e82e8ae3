import type { Logger, LogRecord } from '@halyard/contracts';

/** The log levels with their severity numbers in OpenTelemetry. */
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

/** The name of a level number of pino. A custom level gets the name of the next lower one. */
export function levelOfPino(number: number): LogLevelName {
  return levelNames[Math.min(Math.max(Math.floor(number / 10) - 1, 0), levelNames.length - 1)] ?? 'info';
}

export function toLevelName({ severityNumber }: Pick<LogRecord, 'severityNumber'>): LogLevelName {
  return levelNames.findLast((name) => severities[name] <= severityNumber) ?? 'trace';
}

interface LeveledLogger {
  isLevelEnabled(level: string): boolean;
}

/**
 * Whether a logger writes lines of this level. A logger without `isLevelEnabled` is assumed to
 * write all but `debug`.
 */
export function isEnabled(log: object, level: keyof Logger): boolean {
  return isLeveled(log) ? log.isLevelEnabled(level) : level !== 'debug';
}

function isLeveled(log: object): log is LeveledLogger {
  return 'isLevelEnabled' in log && typeof log.isLevelEnabled === 'function';
}
