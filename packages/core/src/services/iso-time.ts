let lastMs = Number.NaN;
let lastText = '';

/** Milliseconds since the epoch as ISO 8601. Events come many to a millisecond: the last text is kept. */
export function isoTime(ms: number): string {
  if (ms !== lastMs) {
    lastText = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastText;
}
