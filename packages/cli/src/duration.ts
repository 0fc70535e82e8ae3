import { CliError, exitCodes } from './cli-error.ts';

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `30d`, `12h` or `90m` in milliseconds. @throws CliError for anything else. */
export function parseDuration(text: string): number {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (count === undefined || unit === undefined) {
    throw new CliError(`"${text}" is not a duration.`, {
      exitCode: exitCodes.usage,
      fix: 'Write a number of days, hours or minutes: 30d, 12h, 90m',
    });
  }
  return Number(count) * unitMs[unit as keyof typeof unitMs];
}
