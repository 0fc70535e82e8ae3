const bytesPerValue = 16;
/** Values that come from code may refer to themselves. */
const greatestDepth = 100;

/** About how much memory a JSON value takes, or one with binary data in it. */
export function estimatedJsonBytes(value: unknown, depth = 0): number {
  if (typeof value === 'string') return bytesPerValue + value.length;
  if (typeof value !== 'object' || value === null || depth > greatestDepth) return bytesPerValue;
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return bytesPerValue + value.byteLength;
  let bytes = bytesPerValue;
  // Without an iterator, which costs much where the value is frozen, and without a list of what is in it.
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) bytes += estimatedJsonBytes(value[index], depth + 1);
  } else {
    for (const name in value)
      bytes += bytesPerValue + estimatedJsonBytes((value as Record<string, unknown>)[name], depth + 1);
  }
  return bytes;
}
