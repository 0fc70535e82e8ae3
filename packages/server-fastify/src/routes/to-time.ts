import { InvalidInputError } from '@halyard/contracts';

const isoTimestamp = /^(\d{4}-\d\d-\d\d)(?:(T\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?)?$/;

/**
 * Milliseconds since the epoch. Without an offset it is UTC, wherever the server stands.
 *
 * @throws InvalidInputError naming `field`.
 */
export function toTime(field: string, text: string): number {
  const [, day = '', time = 'T00:00', offset = 'Z'] = isoTimestamp.exec(text) ?? [];
  const at = Date.parse(`${day}${time}${offset}`);
  if (Number.isNaN(at) || !isDay(day)) throw new InvalidInputError(`${field} must be an ISO 8601 timestamp`);
  return at;
}

/** Not the 31st of February, which would count as a day in March. */
function isDay(day: string): boolean {
  return new Date(`${day}T00:00Z`).toISOString().startsWith(day);
}
