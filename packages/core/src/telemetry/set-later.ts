import type { Attributes, Span } from '@halyard/contracts';
import { RecordedSpan } from './recorded-span.ts';

/**
 * Says of a span what is expensive to say. Where the span is a plain record it is made away from the work that is recorded; what `make` holds must not
 * change until then.
 */
export function setLater(span: Span, make: () => Attributes): void {
  if (span instanceof RecordedSpan) span.setLater(make);
  else if (span.isRecording) span.setAttributes(make());
}
