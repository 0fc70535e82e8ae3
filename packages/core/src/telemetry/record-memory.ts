import type { Attributes, PackReader, PackWriter, Recorder, Span, SpanDetails } from '@halyard/contracts';
import type { RunDetails } from './attributes/run.ts';
import { runNext } from './run-next.ts';
import { spanNames } from './span-names.ts';

const nameOfMemory = spanNames('memory');

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
    name: nameOfMemory(operation),
    parent: parent.context,
    details: new MemoryDetails(operation, conversationId),
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

/** What the span of a memory's work says. */
class MemoryDetails implements SpanDetails {
  readonly #operation: MemoryOperation;
  readonly #conversationId: string;

  constructor(operation: MemoryOperation, conversationId: string) {
    this.#operation = operation;
    this.#conversationId = conversationId;
  }

  toAttributes(): Attributes {
    return { 'halyard.memory.operation': this.#operation, 'gen_ai.conversation.id': this.#conversationId };
  }

  toContent(): undefined {
    return undefined;
  }

  pack(to: PackWriter): void {
    to.shared(this.#operation);
    to.held(this.#conversationId);
  }

  get unpack(): typeof MemoryDetails.unpack {
    return MemoryDetails.unpack;
  }

  static readonly unpack = (from: PackReader): MemoryDetails => new MemoryDetails(from.shared(), from.held());
}
