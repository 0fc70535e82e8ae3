/** Values that come from code may contain themselves. */
const maxDepth = 100;

/** Roughly how much memory a JSON value takes, or one that contains binary data. */
export function estimateBytes(value: unknown, depth = 0): number {
  if (typeof value === 'string') return 16 + value.length;
  if (typeof value !== 'object' || value === null || depth > maxDepth) return 8;
  if (ArrayBuffer.isView(value)) return 16 + value.byteLength;

  let bytes = 24;
  for (const member of Array.isArray(value) ? value : Object.values(value))
    bytes += 8 + estimateBytes(member, depth + 1);
  return bytes;
}
