import type { Attributes, SpanRecord } from '@halyard/contracts';

/** What a span says without what is costly to make. */
export function briefAttributes(span: SpanRecord): Attributes {
  return span.briefAttributes ?? span.attributes;
}
