import type { JsonValue } from '@halyard/contracts';

/** A tool call that a run cannot go on without: somebody must agree to it, or its tool waits for somebody. */
export interface RunRest {
  /** Of the call, in the run's journal: `step-0/approval/<toolCallId>` or `step-0/tool/<toolCallId>`. */
  readonly key: string;
  readonly kind: 'approval' | 'step';
  readonly reason: string;
  readonly data?: JsonValue | undefined;
}

/**
 * Lets a run rest in the middle: what a workflow gives the agents that it runs. A run that rests ends with {@link RunAtRest}; repeated from its
 * journal once there is an answer, it goes on.
 */
export interface RunRests {
  readonly executionId: string;
  /** Names a call of this run in approvals, among all executions. */
  placeOf(key: string): string;
  /** What was answered to a rest; recorded by that, where it is the answer to an approval. */
  answerTo(key: string, kind: RunRest['kind']): { readonly data: JsonValue } | undefined;
  /** Cancels the whole execution. */
  abort(reason: string): void;
}

/** Thrown by a run that can go no further without an answer. Not a failure. */
export class RunAtRest extends Error {
  override readonly name: string = 'RunAtRest';
  readonly rests: readonly RunRest[];

  constructor(rests: readonly RunRest[]) {
    super('the run rests');
    this.rests = rests;
  }
}

/** The same rests for an agent that works for another: its calls are inside one of that other's. */
export function restsWithin(rests: RunRests, prefix: string): RunRests {
  return {
    executionId: rests.executionId,
    placeOf: (key) => rests.placeOf(`${prefix}/${key}`),
    answerTo: (key, kind) => rests.answerTo(`${prefix}/${key}`, kind),
    abort: (reason) => rests.abort(reason),
  };
}
