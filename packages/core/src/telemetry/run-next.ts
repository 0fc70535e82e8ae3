import type { Span } from '@halyard/contracts';
import { RecordedSpan } from './recorded-span.ts';

/**
 * `span.run(work)` for spans that follow one another in the run of their parent, as model calls do in that of an agent. A frame of its own costs more than all
 * else that is recorded of a span; those that follow one another share that of their parent. Work that a span leaves behind counts to what comes next.
 */
export function runNext<Result>(span: Span, work: () => Result): Result {
  return span instanceof RecordedSpan ? span.runNext(work) : span.run(work);
}
