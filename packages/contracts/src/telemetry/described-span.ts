import { spanFailure } from './span-failure.ts';
import type { Attributes, SpanRecord } from './telemetry.ts';

/**
 * The span with all its attributes, and without `describe`. Of an attribute that is in both, the
 * one in `attributes` is used.
 */
export function describedSpan(span: SpanRecord): SpanRecord {
  const { describe, describeBytes: _, ...record } = span;
  return describe === undefined ? span : { ...record, attributes: { ...describedBy(describe), ...span.attributes } };
}

/**
 * The attributes that a closure computes. Never throws: a failure is the attribute
 * `halyard.unreadable`.
 */
export function describedBy(describe: () => Attributes): Attributes {
  try {
    return describe();
  } catch (error) {
    return { 'halyard.unreadable': spanFailure(error).message };
  }
}
