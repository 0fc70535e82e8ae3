import { createHash } from 'node:crypto';
import { toText } from '../connection/text-codec.ts';

/** Three keys of this length fit into an index entry. */
const maxLength = 240;

/**
 * An id as it is stored in an indexed column. An id that is too long for an index is replaced by
 * its beginning and a digest.
 */
export function telemetryKey(id: string): string {
  const text = toText(id);
  if (text.length <= maxLength) return text;
  return `${text.slice(0, 100).toWellFormed()}#${createHash('sha256').update(text).digest('hex')}`;
}

/** The same for an attribute; null unless it is a text. */
export function toTelemetryKey(value: unknown): string | null {
  return typeof value === 'string' ? telemetryKey(value) : null;
}
