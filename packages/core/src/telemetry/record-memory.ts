import type { Attributes, Recorder, Span } from '@halyard/contracts';
import type { RunDetails } from '../agent/run-details.ts';
import { runNext } from './run-next.ts';
import { spanName } from './span-name.ts';

/** The span of a run, and where spans of what the run does go. */
export interface RunRecording {
  readonly recorder: Recorder;
  readonly span: Span;
  /** What the span says: it grows with the run. */
  readonly details: RunDetails;
}

/** What a run does with its memory. */
export type MemoryOperation = 'read' | 'write' | 'recall' | 'working-memory';

/** Does the work in a span of its own, where the run is recorded. */
export function recordMemory<Result>(
  recording: RunRecording | undefined,
  operation: MemoryOperation,
  conversationId: string,
  work: () => Promise<Result>,
): Promise<Result> {
  if (recording?.span.isRecording !== true) return work();
  const { recorder, span: parent } = recording;
  const span = recorder.start({
    name: spanName('memory', operation),
    parent: parent.context,
    attributes: new MemoryAttributes(operation, conversationId),
  });
  return runNext(span, work).then(
    (result) => {
      span.end();
      return result;
    },
    (error: unknown) => {
      span.end({ error });
      throw error;
    },
  );
}

class MemoryAttributes implements Attributes {
  readonly [name: string]: string;
  readonly 'halyard.memory.operation': string;
  readonly 'gen_ai.conversation.id': string;

  constructor(operation: MemoryOperation, conversationId: string) {
    this['halyard.memory.operation'] = operation;
    this['gen_ai.conversation.id'] = conversationId;
  }
}
