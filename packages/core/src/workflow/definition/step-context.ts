import type { JsonObject, Logger, User } from '@halyard/contracts';

/** The types that every step of one workflow sees. */
export interface Flow {
  readonly input: unknown;
  readonly state: object;
  /** What whoever resumes sends. */
  readonly resume: unknown;
  /** What a suspended step tells them. */
  readonly suspend: unknown;
}

/** What is known of the execution that a step belongs to. */
export interface ExecutionInfo {
  readonly executionId: string;
  readonly workflowId: string;
  readonly workflowName: string;
  /** ISO 8601. */
  readonly startAt: string;
  readonly userId: string | undefined;
  readonly conversationId: string | undefined;
  readonly metadata: JsonObject;
}

/** A step that has finished, as it was recorded. */
export interface StepData {
  readonly status: 'success' | 'skipped' | 'error';
  /** JSON; null for an error. */
  readonly output: unknown;
  readonly error?: { readonly message: string };
}

/** What conditions, prompts and other decisions see. All of it is theirs: changing it changes nothing elsewhere. */
export interface DataContext<Data, F extends Flow = Flow> {
  /** What the step before gave. */
  readonly data: Data;
  /** What the workflow was started with. */
  readonly input: F['input'];
  readonly state: ExecutionInfo;
  /** `options.context` of the request. */
  readonly context: Readonly<Record<string, unknown>>;
  readonly workflowState: F['state'];
  /** A step of this workflow that has finished: the instance of the same loop item where there are several. */
  readonly getStepData: (stepId: string) => StepData | undefined;
  /** Aborted when the step must stop: cancelled, suspended from outside, out of time, or beaten in a race. */
  readonly signal: AbortSignal;
  /** Snapshot of the verified user who started the workflow, when there was one. */
  readonly user: User | undefined;
  readonly logger: Logger;
}

/** What the body of a step sees and may do. */
export interface StepContext<Data, F extends Flow = Flow> extends DataContext<Data, F> {
  /** Sets fields of the state that all steps share and clients can read; other fields stay. A function sees the state as it is now. A body that runs again sets them again. */
  readonly setWorkflowState: (patch: Partial<F['state']> | ((state: F['state']) => Partial<F['state']>)) => void;
  /**
   * Ends the step here until somebody resumes it; it then runs again from its beginning, with `resumeData`. Leaves by throwing: nothing
   * after it runs, and a `catch` around it changes nothing.
   */
  readonly suspend: (reason: string, data?: F['suspend']) => never;
  /**
   * What the step was resumed with; undefined before that, null when whoever resumed it sent nothing. It stays over retries. After a suspension from
   * outside the step that runs next is given what was sent, if anything was.
   */
  readonly resumeData: F['resume'] | undefined;
  /** Id of the verified user who sent `resumeData`; undefined where nobody was verified. `user` stays who started the workflow. */
  readonly resumedBy: string | undefined;
  /** Ends the workflow here, completed with this result. Leaves by throwing, like `suspend`. */
  readonly bail: (result?: unknown) => never;
  /** Cancels the whole execution. Leaves by throwing, like `suspend`. */
  readonly abort: (reason?: string) => never;
  /** How often this step has failed already, suspensions and restarts between included. */
  readonly retryCount: number;
  /** Same for each repetition of this step: hand it to services that deduplicate. */
  readonly idempotencyKey: string;
  /** Tells whoever watches, in an event of the step's own. */
  readonly writer: StepWriter;
}

export interface StepWriter {
  /**
   * Writes an event whose type starts with `custom-`. It is stored with what the step does and reaches each watcher.
   *
   * @throws InvalidInputError for another type, or a value that is not JSON.
   */
  readonly write: (event: { readonly type: `custom-${string}`; readonly [field: string]: unknown }) => void;
}
