/** Milliseconds since the epoch as ISO 8601. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
