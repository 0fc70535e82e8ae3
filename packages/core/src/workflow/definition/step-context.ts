import type { ApprovalRules, ExpiryRules, JsonObject, Logger, User } from '@halyard/contracts';

/** The types that every step of one workflow sees. */
export interface Flow {
  /** The id of the workflow, for the types of clients. */
  readonly id?: string;
  readonly input: unknown;
  readonly state: object;
  /** The resume data of a suspension. */
  readonly resume: unknown;
  /** Data of a suspended step for the person or system that responds. */
  readonly suspend: unknown;
  /** The result of the workflow, as steps produce it. */
  readonly result?: unknown;
  /** The result as clients read it, after its schema has parsed it. */
  readonly parsedResult?: unknown;
  /** The outputs of the steps before, by id. */
  readonly outputs?: object;
}

/** The outputs of the steps before, by id. */
export type OutputsBefore<F extends Flow> = NonNullable<F['outputs']>;

/** The execution that a step belongs to. */
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

/** The recorded outcome of a finished step, whose output is JSON. */
export type StepData<Output = unknown> =
  | { readonly status: 'success' | 'skipped'; readonly output: Output; readonly error?: undefined }
  | { readonly status: 'error'; readonly output: null; readonly error: { readonly message: string } };

/**
 * Reads a finished step by its id. The ids that the compiler knows have the types of their outputs.
 */
export interface GetStepData<Outputs extends object = object> {
  <Id extends keyof Outputs & string>(stepId: Id): StepData<Outputs[Id]> | undefined;
  (stepId: string): StepData | undefined;
}

/**
 * The context of conditions, prompts and other decisions. The values are copies: changing them has
 * no effect elsewhere.
 */
export interface DataContext<Data, F extends Flow = Flow> {
  /** The output of the previous step. */
  readonly data: Data;
  /** The input of the workflow. */
  readonly input: F['input'];
  readonly state: ExecutionInfo;
  /** `options.context` of the request. */
  readonly context: Readonly<Record<string, unknown>>;
  readonly workflowState: F['state'];
  /**
   * A finished step of this workflow; inside a loop, the instance of the same item. Undefined when
   * it has not finished. Its output has the type of the step with this id.
   *
   * Of `andDoWhile` and `andDoUntil`, a step in a round can read that round and the one before, and
   * a step outside of the loop its last two rounds.
   *
   * @throws InvalidInputError for an older round. Pass such values on in the data of the loop or in
   * `workflowState`.
   */
  readonly getStepData: GetStepData<OutputsBefore<F>>;
  /**
   * Aborted when the step must stop: it was cancelled, suspended from outside, exceeded its time
   * limit, or lost a race.
   */
  readonly signal: AbortSignal;
  /** A snapshot of the verified user who started the workflow, if any. */
  readonly user: User | undefined;
  readonly logger: Logger;
}

/** The context of a step's body. */
export interface StepContext<
  Data,
  F extends Flow = Flow,
  Suspend = F['suspend'],
  Resume = F['resume'],
> extends DataContext<Data, F> {
  /**
   * Sets fields of the state that all steps share and clients can read; other fields keep their
   * values. A function receives the current state. A body that runs again sets its fields again.
   */
  readonly setWorkflowState: (patch: Partial<F['state']> | ((state: F['state']) => Partial<F['state']>)) => void;
  /**
   * Suspends the step until it is resumed; it then runs again from its beginning, with
   * `resumeData`. Leaves the body by throwing: no code after it runs, and a `catch` around it has
   * no effect. With `expiryMs`, the step fails with `SUSPENSION_TIMED_OUT` when nobody has resumed it
   * within this time, or `onExpire` decides. With `approvers`, only they and operators may resume
   * it.
   */
  readonly suspend: (reason: string, data?: Suspend, options?: SuspensionOptions) => never;
  /**
   * The data that resumed the step: undefined before that, null when it was resumed without data.
   * Retries of the step receive it too. After a suspension from outside, the step that runs next
   * receives the resume data, if any.
   */
  readonly resumeData: Resume | undefined;
  /**
   * Id of the verified user who sent `resumeData`, if any. `user` remains the user who started the
   * workflow.
   */
  readonly resumedBy: string | undefined;
  /**
   * Completes the workflow with this result, skipping all further steps. Leaves the body by
   * throwing, like `suspend`.
   */
  bail(this: void, result?: F['result']): never;
  /**
   * Completes the execution and starts a new one of the same workflow with this input, and with no
   * journal: for loops without an end. The result is `{ continuedAs }`, the id of the new
   * execution. Not in a sub-workflow. Leaves the body by throwing, like `suspend`.
   */
  continueAsNew(this: void, input: F['input']): never;
  /** Cancels the whole execution. Leaves the body by throwing, like `suspend`. */
  readonly abort: (reason?: string) => never;
  /** How many attempts of this step have failed, counted across suspensions and restarts. */
  readonly retryCount: number;
  /** The same for each repetition of this step. Pass it to services that deduplicate requests. */
  readonly idempotencyKey: string;
  /** Writes custom events to the execution's stream. */
  readonly writer: StepWriter;
}

/**
 * Who may resume the step, and for how long. `deny` and `continue` resume it with `{ approved,
 * reason }`.
 */
export interface SuspensionOptions extends Partial<ApprovalRules>, ExpiryRules {}

/** The context of the function that undoes a step. `data` is the output of the step. */
export type CompensationContext<Out, F extends Flow = Flow> = Omit<
  StepContext<Out, F>,
  'abort' | 'bail' | 'continueAsNew' | 'resumeData' | 'resumedBy' | 'suspend'
>;

export interface StepWriter {
  /**
   * Writes an event whose type starts with `custom-`. It is stored with the execution's events and
   * delivered to everyone who follows it.
   *
   * @throws InvalidInputError for another type, or a value that is not JSON.
   */
  readonly write: (event: { readonly type: `custom-${string}`; readonly [field: string]: unknown }) => void;
}
