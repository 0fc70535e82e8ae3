import { HalyardError, InvalidInputError } from '@halyard/contracts';

/**
 * The length of a value's JSON in bytes, without the backslashes of strings. A value that JSON
 * omits has none.
 */
export function jsonBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + 2;
  if (typeof value !== 'object' || value === null) return String(value).length;
  // Brackets, and a comma after each member but the last.
  let bytes = 1;
  if (Array.isArray(value)) for (const item of value) bytes += jsonBytes(item) + 1;
  else
    for (const [name, member] of Object.entries(value))
      if (member !== undefined) bytes += Buffer.byteLength(name) + 4 + jsonBytes(member);
  return Math.max(2, bytes);
}

/** @throws InvalidInputError `VALUE_TOO_LARGE` for a value of a client with more bytes. */
export function checkSize(value: unknown, maxBytes: number, name: string): void {
  const bytes = jsonBytes(value);
  if (bytes > maxBytes) throw new InvalidInputError(tooLarge(name, bytes, maxBytes), { code: 'VALUE_TOO_LARGE' });
}

/** @throws HalyardError `VALUE_TOO_LARGE` for a value of the app or a model with more bytes. */
export function checkOwnSize(value: unknown, maxBytes: number, name: string): void {
  const bytes = jsonBytes(value);
  if (bytes > maxBytes) throw new HalyardError('failed', 'VALUE_TOO_LARGE', tooLarge(name, bytes, maxBytes));
}

function tooLarge(name: string, bytes: number, maxBytes: number): string {
  return `${name} has ${bytes} bytes, and the limit is ${maxBytes}`;
}
