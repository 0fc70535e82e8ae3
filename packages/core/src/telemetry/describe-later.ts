import { type Attributes, describedBy, type SpanEnd } from '@halyard/contracts';

/**
 * A stored span may retain content of this size. Larger content is replaced by its attributes,
 * which are cut to a limit.
 */
const maxRetainedBytes = 16_384;
const bytesPerValue = 16;

/**
 * Postpones `describe`, which reads `content`, until the span is read; most spans never are. Large
 * content is described at once.
 *
 * @returns options for the end of a span.
 */
export function describeLater(
  content: unknown,
  describe: () => Attributes,
): Required<Pick<SpanEnd, 'describe' | 'describeBytes'>> {
  const describeBytes = estimatedBytes(content);
  if (describeBytes <= maxRetainedBytes) return { describe, describeBytes };
  const attributes = describedBy(describe);
  return { describe: () => attributes, describeBytes: estimatedBytes(attributes, Number.POSITIVE_INFINITY) };
}

/** About how much memory a value takes. The count stops soon after `limit`. */
function estimatedBytes(value: unknown, limit = maxRetainedBytes): number {
  if (typeof value === 'string') return bytesPerValue + value.length;
  if (typeof value !== 'object' || value === null) return bytesPerValue;
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return bytesPerValue + value.byteLength;
  let bytes = bytesPerValue;
  for (const item of Array.isArray(value) ? value : Object.values(value)) {
    bytes += bytesPerValue + estimatedBytes(item, limit - bytes);
    if (bytes > limit) break;
  }
  return bytes;
}
