import { createHash } from 'node:crypto';
import { toText } from '../connection/text-codec.ts';

/** As much as fits into a row of an index, three times. */
const longest = 240;

/** An id as it stands in a column with an index. Those that are too long for one are told apart by their digest. */
export function telemetryKey(id: string): string {
  const text = toText(id);
  if (text.length <= longest) return text;
  return `${text.slice(0, 100).toWellFormed()}#${createHash('sha256').update(text).digest('hex')}`;
}

/** The same of an attribute, which may be no text, or not there. */
export function telemetryKeyOf(value: unknown): string | null {
  return typeof value === 'string' ? telemetryKey(value) : null;
}
