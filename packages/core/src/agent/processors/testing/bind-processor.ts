import { systemClock } from '@halyard/contracts';
import type { BoundProcessor } from '../bound-processor.ts';
import type { Processor } from '../processor.ts';

/** A processor in a run of its own. */
export function bindProcessor(processor: Processor): BoundProcessor {
  const context = { context: {}, user: undefined, userId: undefined, conversationId: undefined };
  return { processor, run: { context, recording: undefined, clock: systemClock, refusal: undefined } };
}
