import type { SpanContext } from '@halyard/contracts';

const shape = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const sampledFlag = 1;

/**
 * Reads a `traceparent` header. W3C Trace Context,
 * https://www.w3.org/TR/trace-context/#traceparent-header.
 *
 * @returns undefined for a missing header, and for a header that the standard requires to ignore.
 */
export function parseTraceParent(header: string | undefined): SpanContext | undefined {
  if (header === undefined) return undefined;
  const [, version, traceId, spanId, flags, rest] = shape.exec(header) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  if (isZero(traceId) || isZero(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & sampledFlag) !== 0 };
}

function isZero(id: string): boolean {
  return /^0+$/.test(id);
}
