/**
 * The value as plain JSON: without undefined fields, with keys in order, and with errors as their
 * messages.
 */
export function toPlain(value: unknown): unknown {
  if (value instanceof Error) return value.message;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof URL) return value.href;
  if (Array.isArray(value)) return value.map(toPlain);
  if (isRecord(value)) {
    return Object.fromEntries(
      Object.entries(value)
        .filter(([, field]) => field !== undefined)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, field]) => [key, toPlain(field)]),
    );
  }
  return value;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
