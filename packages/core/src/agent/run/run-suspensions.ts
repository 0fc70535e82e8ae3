import type { JsonValue } from '@halyard/contracts';

/** A tool call that a run cannot go on without: somebody must agree to it, or its tool waits for somebody. */
export interface CallSuspension {
  /** Of the call, in the run's journal: `step-0/approval/<toolCallId>` or `step-0/tool/<toolCallId>`. */
  readonly key: string;
  readonly kind: 'approval' | 'step';
  readonly reason: string;
  readonly data?: JsonValue | undefined;
  /** The answer that the call went by when it came to rest again; another one was given meanwhile. */
  readonly answerId?: string | undefined;
}

/** What somebody answered to a rest. */
export interface SuspensionAnswer {
  readonly data: JsonValue;
  /** Another one for each answer; absent once the answer is recorded. */
  readonly id?: string;
}

/**
 * Lets a run rest in the middle: what a workflow gives the agents that it runs. A run that rests ends with {@link RunSuspended}; repeated from its
 * journal once there is an answer, it goes on.
 */
export interface RunSuspensions {
  readonly executionId: string;
  /** Names a call of this run in approvals, among all executions. */
  placeOf(key: string): string;
  /** What was answered to a rest, as far as its call has not used it up. */
  answerTo(key: string): SuspensionAnswer | undefined;
  /** The rest that nobody has answered yet. */
  pendingAt(key: string): CallSuspension | undefined;
  /** Cancels the whole execution. */
  abort(reason: string): void;
}

/** Thrown by a run that can go no further without an answer. Not a failure. */
export class RunSuspended extends Error {
  override readonly name: string = 'RunSuspended';
  readonly rests: readonly CallSuspension[];

  constructor(rests: readonly CallSuspension[]) {
    super('the run rests');
    this.rests = rests;
  }
}

/** The same rests for an agent that works for another: its calls are inside one of that other's. */
export function suspensionsWithin(rests: RunSuspensions, prefix: string): RunSuspensions {
  return {
    executionId: rests.executionId,
    placeOf: (key) => rests.placeOf(`${prefix}/${key}`),
    answerTo: (key) => rests.answerTo(`${prefix}/${key}`),
    pendingAt: (key) => {
      const pending = rests.pendingAt(`${prefix}/${key}`);
      return pending && { ...pending, key };
    },
    abort: (reason) => rests.abort(reason),
  };
}
