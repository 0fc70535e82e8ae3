/**
 * What kind of failure an error is. The server maps a kind to a status in one table; nothing decides a status from the text of a message.
 *
 * `failed` is a failure whose message a client may read (a model, tool or step failed); the message of an `internal` one never leaves the process.
 */
export type ErrorKind =
  | 'invalid-input'
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'conflict'
  | 'too-large'
  | 'rate-limited'
  | 'unavailable'
  | 'failed'
  | 'internal';

export interface HalyardErrorOptions {
  readonly cause?: unknown;
}

/**
 * Base of every error that Halyard throws on purpose.
 *
 * `code` is stable and travels in the header `x-error-code`; `docs/errors.md` lists every one. Use {@link isHalyardError}
 * rather than `instanceof` where two copies of this package may be installed.
 */
export class HalyardError extends Error {
  /** Brand: survives two copies of this package in one process. */
  readonly isHalyardError: true = true;
  readonly kind: ErrorKind;
  readonly code: string;

  constructor(kind: ErrorKind, code: string, message: string, options: HalyardErrorOptions = {}) {
    super(message, options);
    this.name = new.target.name;
    this.kind = kind;
    this.code = code;
  }
}

/** Whether `value` is an error of Halyard's, from this copy of the package or another. */
export function isHalyardError(value: unknown): value is HalyardError {
  return typeof value === 'object' && value !== null && 'isHalyardError' in value && value.isHalyardError === true;
}

/** Something the caller sent is wrong. `field` is a path such as `body/options/temperature` when one field is to blame. */
export class InvalidInputError extends HalyardError {
  constructor(message: string, options: HalyardErrorOptions & { readonly code?: string } = {}) {
    super('invalid-input', options.code ?? 'INVALID_INPUT', message, options);
  }
}

/** An id that names nothing the caller may see. `code` is the noun and the fact: `AGENT_NOT_FOUND`. */
export class NotFoundError extends HalyardError {
  constructor(noun: string, id: string) {
    super('not-found', `${noun.toUpperCase().replaceAll(' ', '_')}_NOT_FOUND`, `${capitalise(noun)} not found: ${id}`);
  }
}

/** The app's own configuration is wrong; thrown while it is being built, before anything is served. */
export class ConfigurationError extends HalyardError {
  constructor(message: string, options: HalyardErrorOptions = {}) {
    super('internal', 'INVALID_CONFIGURATION', message, options);
  }
}

/** A model could not be called or broke off. The provider's own text is only in `cause`. */
export class ModelFailedError extends HalyardError {
  constructor(agentId: string, options: HalyardErrorOptions = {}) {
    super('failed', 'MODEL_FAILED', `The model of agent "${agentId}" failed`, options);
  }
}

/** A run, step, first token or tool took longer than its limit. */
export class TimeLimitError extends HalyardError {
  constructor(what: string, limitMs: number) {
    super('failed', 'TIME_LIMIT_EXCEEDED', `${what} took longer than ${limitMs} ms`);
  }
}

/** A tool that was run directly threw. The message of what it threw is only in `cause`. */
export class ToolFailedError extends HalyardError {
  constructor(toolName: string, options: HalyardErrorOptions = {}) {
    super('failed', 'TOOL_FAILED', `Tool "${toolName}" failed`, options);
  }
}

/** The model's answer did not fit the schema, after one attempt at repair. */
export class ObjectNotGeneratedError extends HalyardError {
  constructor(agentId: string, options: HalyardErrorOptions = {}) {
    super(
      'failed',
      'OBJECT_NOT_GENERATED',
      `Agent "${agentId}" did not produce an object that fits the schema`,
      options,
    );
  }
}

/** An input guardrail refused what the caller sent, or an output guardrail what the model answered. */
export class GuardrailBlockedError extends HalyardError {
  constructor(direction: 'input' | 'output', guardrail: string, reason: string) {
    super(
      direction === 'input' ? 'invalid-input' : 'failed',
      direction === 'input' ? 'INPUT_BLOCKED' : 'OUTPUT_BLOCKED',
      `Guardrail "${guardrail}" blocked the ${direction}: ${reason}`,
    );
  }
}

/**
 * A step of a workflow failed, its retries used up. The message names the step; it goes on with what an error of Halyard's says, and with
 * nothing of what other code says: that is only in `cause`.
 */
export class StepFailedError extends HalyardError {
  /** The step as events name it: `approve:3` in a loop. */
  readonly stepId: string;

  /** @param options `message`: as it was recorded. */
  constructor(stepId: string, options: HalyardErrorOptions & { readonly message?: string } = {}) {
    const { cause, message } = options;
    const why = isHalyardError(cause) && cause.kind !== 'internal' ? `: ${cause.message}` : '';
    super('failed', 'STEP_FAILED', message ?? `Step "${stepId}" failed${why}`, options);
    this.stepId = stepId;
  }
}

/** What is recorded of an execution does not fit the steps that its workflow has now. */
export class DefinitionChangedError extends HalyardError {
  constructor(workflowId: string, where: string) {
    super('failed', 'DEFINITION_CHANGED', `Workflow "${workflowId}" has changed: ${where}`);
  }
}

/** An id that is in use, or a thing that is busy with something else. */
export class ConflictError extends HalyardError {
  constructor(code: string, message: string) {
    super('conflict', code, message);
  }
}

/** Not now: shutting down, overloaded, or the storage does not answer. */
export class UnavailableError extends HalyardError {
  constructor(code: string, message: string, options: HalyardErrorOptions = {}) {
    super('unavailable', code, message, options);
  }
}

/** There is no suspension to resume: the execution is not suspended, or another answer came first. */
export class NotSuspendedError extends HalyardError {
  constructor(executionId: string) {
    super('not-found', 'EXECUTION_NOT_SUSPENDED', `Execution is not suspended: ${executionId}`);
  }
}

/** The run was aborted by its caller, who is usually gone by then. */
export class AbortedError extends HalyardError {
  constructor(options: HalyardErrorOptions = {}) {
    super('unavailable', 'ABORTED', 'The run was aborted', options);
  }
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
