import type { Span } from '@halyard/contracts';
import { RecordedSpan } from './recorded-span.ts';

/**
 * `span.run(work)` for spans that mostly follow one another in the run of their parent, as model calls, tools and steps do. A frame of its own costs more than
 * all else that is recorded of a span: as long as its parent is the active one, it takes the place in its frame, until it ends. Spans beside it get their own.
 * Spans that its code begins after it has ended count to what is active then.
 */
export function runNext<Result>(span: Span, work: () => Result): Result {
  return span instanceof RecordedSpan ? span.runNext(work) : span.run(work);
}
