import type { Recorder, Span } from '@halyard/contracts';
import { memoryAttributes, type MemoryOperation } from './attributes/memory.ts';
import type { RunDetails } from './attributes/run.ts';

/** The span of a run, and the recorder of further spans. */
export interface RunRecording {
  readonly recorder: Recorder;
  readonly span: Span;
  /** Filled as the run proceeds. */
  readonly details: RunDetails;
}

/** Does the work in a span below that of the run, if the run is recorded. */
export async function recordMemory<Result>(
  recording: RunRecording | undefined,
  operation: MemoryOperation,
  conversationId: string,
  work: () => Promise<Result>,
): Promise<Result> {
  if (recording?.span.isRecording !== true) return work();
  const span = recording.recorder.start({
    name: `memory ${operation}`,
    parent: recording.span.context,
    attributes: memoryAttributes(operation, conversationId),
  });
  try {
    const result = await span.run(work);
    span.end();
    return result;
  } catch (error) {
    span.end({ error });
    throw error;
  }
}
