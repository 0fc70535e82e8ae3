import type { AcceptsUndefined } from './accepts-undefined.ts';
import type { WorkflowTypes } from './app-types.ts';
import type { CallOptions } from './client-options.ts';
import type { Connection } from './connection.ts';
import { apiError, ConflictError, ConnectionError } from './errors.ts';
import { followExecution, type FollowOptions, type WorkflowEvent } from './follow-execution.ts';
import { received } from './received.ts';
import type { components, operations } from './schema.ts';
import { throwIfAborted } from './throw-if-aborted.ts';

type Schemas = components['schemas'];
type Status = Schemas['ExecutionStatus'];
type ResultEvent = Extract<WorkflowEvent, { readonly type: 'workflow-result' }>;

type Pending = Pick<Schemas['SuspensionReport'], 'kind' | 'suspensionId'>;

export type ExecutionState = Schemas['ExecutionState'];
export type ExecutionRecord = Schemas['ExecutionRecord'];

/** Which executions are listed. */
export type ExecutionQuery = AcceptsUndefined<
  Omit<NonNullable<operations['listExecutions']['parameters']['query']>, 'workflowId'>
>;

/** `executionId`, `userId`, `context`, `workflowState` and `metadata` of the new execution. */
export type StartOptions = AcceptsUndefined<NonNullable<Schemas['RunRequest']['options']>> & CallOptions;

export interface ResumeOptions<Resume> extends CallOptions {
  /** The resume data. */
  readonly resumeData?: Resume | undefined;
  /**
   * The suspension to resume, as results, states and events name it. Always pass it, so that a
   * repeated request does not resume a later one. Required for an approval, and for a step that has
   * asked before.
   */
  readonly suspensionId?: string | undefined;
  /** The step to resume, or an earlier step to go back to. Default: the earliest suspension. */
  readonly stepId?: string | undefined;
}

export interface StopOptions extends CallOptions {
  readonly reason?: string | undefined;
}

export interface ReplayOptions<Resume> extends Omit<ResumeOptions<Resume>, 'suspensionId'> {
  /** The step that the new execution starts with. */
  readonly stepId: string;
  /** Replaces the output of the step before. */
  readonly inputData?: unknown;
}

/**
 * An execution that has ended, or waits for resume data. `result` is null unless it is completed.
 */
export type RunResult<Result> = Omit<Schemas['RunResult'], 'status' | 'result'> &
  (
    | { readonly status: 'completed'; readonly result: Result }
    | { readonly status: Exclude<Status, 'completed'>; readonly result: null }
  );

/** One workflow of the server. */
export class WorkflowClient<Types extends WorkflowTypes = WorkflowTypes> {
  readonly id: string;
  readonly #connection: Connection;

  constructor(id: string, connection: Connection) {
    this.id = id;
    this.#connection = connection;
  }

  /**
   * Starts an execution and waits until it has ended or is suspended. It continues if the caller
   * leaves.
   *
   * @throws FailedError when the execution fails, with its `executionId`; ApiError, ConnectionError
   */
  async run(input: Types['input'], { signal, ...options }: StartOptions = {}): Promise<RunResult<Types['result']>> {
    const { data } = await this.#connection.api.POST('/workflows/{id}/execute', {
      params: { path: { id: this.id } },
      body: { input, options },
      signal,
    });
    return this.#ended(received(data).data, signal);
  }

  /**
   * Starts an execution, and returns when it has been stored. If the reply is lost, the request is
   * sent again: it starts one execution.
   *
   * @throws ApiError, ConnectionError
   */
  async start(input: Types['input'], options: StartOptions = {}): Promise<Execution<Types>> {
    const { executionId = randomId(), signal, ...others } = options;
    for (let attempt = 0; ; attempt += 1) {
      try {
        const { response } = await this.#connection.api.POST('/workflows/{id}/stream', {
          params: { path: { id: this.id } },
          body: { input, options: { ...others, ...(executionId !== undefined && { executionId }) } },
          parseAs: 'stream',
          signal,
        });
        // The execution goes on without this connection.
        await response.body?.cancel();
        return this.execution(response.headers.get('x-execution-id') ?? executionId ?? '');
      } catch (error) {
        throwIfAborted(signal);
        const isStarted = error instanceof ConflictError && error.code === 'EXECUTION_EXISTS' && attempt > 0;
        if (isStarted && executionId !== undefined) return this.execution(executionId);
        if (!(error instanceof ConnectionError) || executionId === undefined || attempt >= 2) throw error;
      }
    }
  }

  /** An execution that was started before. Sends no request. */
  execution(executionId: string): Execution<Types> {
    return new Execution(this, executionId);
  }

  /**
   * The events of an execution until it has ended or is suspended. See {@link Execution}. @throws
   * ApiError, ConnectionError
   */
  follow(executionId: string, options: FollowOptions = {}): AsyncGenerator<WorkflowEvent, void, undefined> {
    return followExecution(this.#connection, { id: this.id, executionId }, options);
  }

  /**
   * Waits until an execution has ended or is suspended.
   *
   * @throws FailedError when the execution fails; ApiError, ConnectionError
   */
  async result(executionId: string, { signal }: CallOptions = {}): Promise<RunResult<Types['result']>> {
    let result: ResultEvent | undefined;
    for await (const event of this.follow(executionId, { signal })) if (isResult(event)) result = event;
    if (result === undefined) throw new ConnectionError(`The execution ${executionId} has no result`);
    const { endAt, error, startAt, status, suspension } = result;
    if (error !== undefined)
      throw apiError({
        status: 500,
        code: error.code ?? 'WORKFLOW_FAILED',
        message: error.message,
        executionId,
        requestId: undefined,
        retryAfterMs: undefined,
      });
    return {
      executionId,
      status,
      startAt,
      endAt,
      result: result.result,
      ...(suspension !== undefined && { suspension }),
    } as RunResult<Types['result']>;
  }

  /**
   * Resumes a suspension, and waits until the execution has ended or is suspended again.
   *
   * @throws NotFoundError (`EXECUTION_NOT_SUSPENDED`) when another response came first;
   * ConflictError (`SUSPENSION_NOT_PENDING`) when `suspensionId` names none of the pending ones;
   * the errors of {@link run}
   */
  async resume(
    executionId: string,
    { resumeData, signal, stepId, suspensionId }: ResumeOptions<Types['resume']> = {},
  ): Promise<RunResult<Types['result']>> {
    const { data } = await this.#connection.api.POST('/workflows/{id}/executions/{executionId}/resume', {
      params: { path: { id: this.id, executionId } },
      body: {
        resumeData,
        ...((stepId ?? suspensionId) !== undefined && {
          options: { ...(stepId !== undefined && { stepId }), ...(suspensionId !== undefined && { suspensionId }) },
        }),
      },
      signal,
    });
    return this.#ended(received(data).data, signal);
  }

  /**
   * Lets a failed execution continue from the steps that failed. @throws what {@link run} throws
   */
  async retry(executionId: string, { signal }: CallOptions = {}): Promise<RunResult<Types['result']>> {
    const { data } = await this.#connection.api.POST('/workflows/{id}/executions/{executionId}/retry', {
      params: { path: { id: this.id, executionId } },
      signal,
    });
    return this.#ended(received(data).data, signal);
  }

  /** Runs a new execution from a step of another one. @throws what {@link run} throws */
  async replay(
    executionId: string,
    { signal, ...body }: ReplayOptions<Types['resume']>,
  ): Promise<RunResult<Types['result']>> {
    const { data } = await this.#connection.api.POST('/workflows/{id}/executions/{executionId}/replay', {
      params: { path: { id: this.id, executionId } },
      body,
      signal,
    });
    return this.#ended(received(data).data, signal);
  }

  /** Suspends an execution before its next step. @throws ApiError, ConnectionError */
  async suspend(executionId: string, { reason, signal }: StopOptions = {}): Promise<Schemas['SuspendedExecution']> {
    const { data } = await this.#connection.api.POST('/workflows/{id}/executions/{executionId}/suspend', {
      params: { path: { id: this.id, executionId } },
      body: { ...(reason !== undefined && { reason }) },
      signal,
    });
    return received(data).data;
  }

  /** Cancels an execution. @throws ApiError, ConnectionError */
  async cancel(executionId: string, { reason, signal }: StopOptions = {}): Promise<Schemas['CancelledExecution']> {
    const { data } = await this.#connection.api.POST('/workflows/{id}/executions/{executionId}/cancel', {
      params: { path: { id: this.id, executionId } },
      body: { ...(reason !== undefined && { reason }) },
      signal,
    });
    return received(data).data;
  }

  /**
   * Ends an execution at once, without compensation, when it cannot be cancelled. @throws ApiError,
   * ConnectionError
   */
  async terminate(executionId: string, { reason, signal }: StopOptions = {}): Promise<Schemas['CancelledExecution']> {
    const { data } = await this.#connection.api.POST('/workflows/{id}/executions/{executionId}/terminate', {
      params: { path: { id: this.id, executionId } },
      body: { ...(reason !== undefined && { reason }) },
      signal,
    });
    return received(data).data;
  }

  /** The state of an execution of the caller. @throws ApiError, ConnectionError */
  async state(executionId: string, { signal }: CallOptions = {}): Promise<ExecutionState> {
    const { data } = await this.#connection.api.GET('/workflows/{id}/executions/{executionId}', {
      params: { path: { id: this.id, executionId } },
      signal,
    });
    return received(data).data;
  }

  /**
   * A page of executions, newest first. With access control, this needs the console key. @throws
   * ApiError, ConnectionError
   */
  async list({ signal, ...query }: ExecutionQuery & CallOptions = {}): Promise<{
    readonly executions: readonly ExecutionRecord[];
    readonly hasMore: boolean;
  }> {
    const { data } = await this.#connection.api.GET('/workflows/executions', {
      params: { query: { ...query, workflowId: this.id } },
      signal,
    });
    const page = received(data);
    return { executions: page.data, hasMore: page.hasMore };
  }

  /** Waits on where the server has stopped to wait: after some minutes. */
  async #ended(result: Schemas['RunResult'], signal: AbortSignal | undefined): Promise<RunResult<Types['result']>> {
    if (result.status === 'running') return this.result(result.executionId, { signal });
    return result as RunResult<Types['result']>;
  }
}

/**
 * One execution. `for await` reads its events until it has ended or is suspended, and connects
 * again after the last one when the connection breaks; a reader that leaves closes the connection
 * only.
 *
 * It remembers the suspension that it has seen last: `resume` resumes that one.
 */
export class Execution<Types extends WorkflowTypes = WorkflowTypes> implements AsyncIterable<WorkflowEvent> {
  readonly executionId: string;
  readonly workflow: WorkflowClient<Types>;
  #shown: Pending | undefined;

  constructor(workflow: WorkflowClient<Types>, executionId: string) {
    this.workflow = workflow;
    this.executionId = executionId;
  }

  [Symbol.asyncIterator](): AsyncGenerator<WorkflowEvent, void, undefined> {
    return this.follow();
  }

  /** {@link WorkflowClient.follow} */
  follow(options?: FollowOptions): AsyncGenerator<WorkflowEvent, void, undefined> {
    return this.workflow.follow(this.executionId, options);
  }

  /** {@link WorkflowClient.result} */
  async result(options?: CallOptions): Promise<RunResult<Types['result']>> {
    return this.#show(await this.workflow.result(this.executionId, options));
  }

  /**
   * {@link WorkflowClient.resume}. `suspensionId`: default the earliest suspension that {@link
   * result}, {@link state} or the last reply has shown.
   */
  async resume(options: ResumeOptions<Types['resume']> = {}): Promise<RunResult<Types['result']>> {
    const { stepId, suspensionId = stepId === undefined ? this.#shown?.suspensionId : undefined } = options;
    const named = suspensionId === undefined ? options : { ...options, suspensionId };
    return this.#show(await this.workflow.resume(this.executionId, named));
  }

  /** {@link WorkflowClient.state} */
  async state(options?: CallOptions): Promise<ExecutionState> {
    return this.#show(await this.workflow.state(this.executionId, options));
  }

  /** {@link WorkflowClient.cancel} */
  cancel(options?: StopOptions): Promise<Schemas['CancelledExecution']> {
    return this.workflow.cancel(this.executionId, options);
  }

  #show<Shown extends { readonly suspension?: Pending | null; readonly suspensions?: readonly Pending[] }>(
    shown: Shown,
  ): Shown {
    const { suspension, suspensions = suspension ? [suspension] : [] } = shown;
    // Events resume their waits.
    this.#shown = suspensions.find(({ kind }) => kind !== 'event');
    return shown;
  }
}

function isResult(event: WorkflowEvent): event is ResultEvent {
  return event.type === 'workflow-result';
}

/** Undefined where the platform has none: on pages without https, and in React Native. */
function randomId(): string | undefined {
  const { crypto } = globalThis as { readonly crypto?: { readonly randomUUID?: () => string } };
  return crypto?.randomUUID?.();
}
