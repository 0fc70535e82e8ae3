const bytesPerValue = 16;
const greatestDepth = 12;

/** About how much memory a value takes that content is made of. */
export function estimatedBytes(value: unknown, depth = 0): number {
  if (typeof value === 'string') return bytesPerValue + value.length;
  if (typeof value !== 'object' || value === null || depth > greatestDepth) return bytesPerValue;
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return value.byteLength;
  let bytes = bytesPerValue;
  // Makes no list of the values: this is done for each span of a busy server.
  for (const name in value)
    bytes += bytesPerValue + estimatedBytes((value as Record<string, unknown>)[name], depth + 1);
  return bytes;
}
