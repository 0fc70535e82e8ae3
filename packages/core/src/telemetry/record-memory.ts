import type { Attributes, Recorder, Span } from '@halyard/contracts';
import { OpenAttributes } from './open-attributes.ts';

/** The span of a run, and where spans of what the run does go. */
export interface RunRecording {
  readonly recorder: Recorder;
  readonly span: Span;
  /** What the run was asked, as attributes: its first model call is asked the same. */
  asked: (() => Attributes) | undefined;
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
  const attributes = new OpenAttributes();
  attributes['halyard.memory.operation'] = operation;
  attributes['gen_ai.conversation.id'] = conversationId;
  const { recorder, span: parent } = recording;
  const span = recorder.start({ name: `memory ${operation}`, parent: parent.context, attributes });
  return span.run(work).then(
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
