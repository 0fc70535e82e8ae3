/**
 * The kind of an error. The server maps it to an HTTP status in one table, and never derives a
 * status from the text of a message.
 *
 * Clients may read the message of a `failed` error (a model, tool or step failed). The message of
 * an `internal` error never leaves the process.
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

/** Options of every {@link HalyardError}. */
export interface HalyardErrorOptions {
  readonly cause?: unknown;
}

/**
 * Base of every error that Halyard throws on purpose.
 *
 * `code` is stable and sent in the header `x-error-code`; `docs/errors.md` lists all codes. Use
 * {@link isHalyardError} instead of `instanceof` when two copies of this package may be installed.
 */
export class HalyardError extends Error {
  /** Identifies errors of another copy of this package in the same process. */
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

/** Whether `value` is a {@link HalyardError}, of this copy of the package or another. */
export function isHalyardError(value: unknown): value is HalyardError {
  return typeof value === 'object' && value !== null && 'isHalyardError' in value && value.isHalyardError === true;
}

/**
 * The caller sent invalid input. The message begins with the path of the field, such as
 * `body/options/temperature`, when one field is invalid.
 */
export class InvalidInputError extends HalyardError {
  constructor(message: string, options: HalyardErrorOptions & { readonly code?: string } = {}) {
    super('invalid-input', options.code ?? 'INVALID_INPUT', message, options);
  }
}

/**
 * The id names nothing that the caller may access. The code contains the noun: `AGENT_NOT_FOUND`.
 */
export class NotFoundError extends HalyardError {
  constructor(noun: string, id: string) {
    super('not-found', `${noun.toUpperCase().replaceAll(' ', '_')}_NOT_FOUND`, `${capitalise(noun)} not found: ${id}`);
  }
}

/**
 * An error that Node prints for a developer if the app does not catch it. So that a reader sees a
 * sentence and the place in the app, `stack` omits frames of packages and of Node.
 */
class PrintedError extends HalyardError {
  constructor(kind: ErrorKind, code: string, message: string, options: HalyardErrorOptions) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = deepestFrame;
    const frames = framesOfApp(new.target);
    // Node prints the source line of the first captured frame, which would be a line of Halyard.
    Error.stackTraceLimit = 0;
    super(kind, code, message, options);
    Error.stackTraceLimit = stackTraceLimit;
    this.stack = [`${this.name}: ${message}`, ...frames].join('\n');
    hideFields(this, ['isHalyardError', 'kind']);
  }
}

const deepestFrame = 50;

/** Node prints enumerable fields. */
function hideFields(error: Error, fields: readonly string[]): void {
  for (const field of fields) Object.defineProperty(error, field, { enumerable: false });
}

/**
 * The lines of the current stack, from the caller of `constructor`, that are neither in a package
 * nor in Node.
 */
function framesOfApp(constructor: typeof PrintedError): readonly string[] {
  const place = { stack: '' };
  Error.captureStackTrace(place, constructor);
  const [, ...lines] = place.stack.split('\n');
  return lines.filter((line) => !/[\\/]node_modules[\\/]|node:|<anonymous>/.test(line));
}

/**
 * The configuration of the app is invalid. Thrown at start, before anything is served.
 */
export class ConfigurationError extends PrintedError {
  constructor(message: string, options: HalyardErrorOptions = {}) {
    super('internal', 'INVALID_CONFIGURATION', message, options);
    hideFields(this, ['code', 'name']);
  }
}

interface ModelFailedOptions extends HalyardErrorOptions {
  /** Follows in the message, which clients may read. */
  readonly details?: string | undefined;
  /** The provider's report, in one line for logs. */
  readonly reason?: string | undefined;
}

/** A model could not be called, or its stream failed. */
export class ModelFailedError extends PrintedError {
  /** The provider's report, in one line for logs. */
  readonly reason: string | undefined;

  constructor(
    agentId: string,
    options: ModelFailedOptions & { readonly code?: string; readonly failure?: string } = {},
  ) {
    const { code = 'MODEL_FAILED', details, failure = 'failed', reason } = options;
    const what = `The model of agent "${agentId}" ${failure}`;
    super('failed', code, details === undefined ? what : `${what}: ${details}`, options);
    this.reason = reason;
    if (reason !== undefined) printWithoutCause(this);
  }
}

/**
 * The prompt has more tokens than the model reads. Where the agent has `compaction`, it was also
 * too long without its older messages.
 */
export class PromptTooLongError extends ModelFailedError {
  constructor(agentId: string, isCompacted: boolean, options: ModelFailedOptions = {}) {
    const advice = isCompacted
      ? 'also without the older messages. Send less, or start a new conversation'
      : 'Send less, start a new conversation, or set `compaction` of the agent, which summarises older messages';
    super(agentId, {
      ...options,
      code: 'PROMPT_TOO_LONG',
      failure: `refused the prompt as too long${isCompacted ? `, ${advice}` : `. ${advice}`}`,
    });
  }
}

/** The provider of the agent's model has no API key. */
export class ModelKeyMissingError extends PrintedError {
  constructor(agentId: string, advice: string, options: HalyardErrorOptions = {}) {
    super('failed', 'MODEL_KEY_MISSING', `The model of agent "${agentId}" has no API key: ${advice}`, options);
    printWithoutCause(this);
  }
}

/**
 * The error of a provider contains the request, and so the conversation. Node prints a value of an
 * error in full, but not the value of a getter.
 */
function printWithoutCause(error: Error): void {
  const { cause } = error;
  Object.defineProperty(error, 'cause', { get: () => cause });
}

/**
 * A run, step, first token or tool took longer than its limit. The `code` for a step of a workflow
 * is `STEP_TIMED_OUT`.
 */
export class TimeLimitError extends HalyardError {
  constructor(what: string, limitMs: number, code = 'TIME_LIMIT_EXCEEDED') {
    super('failed', code, `${what} took longer than ${limitMs} ms`);
  }
}

/** A directly executed tool threw an error, which is only in `cause`. */
export class ToolFailedError extends HalyardError {
  constructor(toolName: string, options: HalyardErrorOptions = {}) {
    super('failed', 'TOOL_FAILED', `Tool "${toolName}" failed`, options);
  }
}

/** The last reply of a run that had to end in an object. */
export interface ReplyWithoutObject {
  /**
   * Why the model ended it, in the words of the AI SDK: `content-filter` also for a refusal,
   * `length` for a reply that was cut.
   */
  readonly finishReason: string;
  /** The model's text, such as its reason to refuse. */
  readonly text: string;
  /** The tokens of the run. */
  readonly usage: {
    readonly promptTokens: number;
    readonly completionTokens: number;
    readonly totalTokens: number;
    readonly cachedInputTokens: number;
    readonly reasoningTokens: number;
  };
}

/**
 * The model refused, its reply was filtered or cut, or it did not fit the schema after one attempt
 * to repair it. The message says which.
 */
export class ObjectNotGeneratedError extends HalyardError implements ReplyWithoutObject {
  readonly finishReason: string;
  /** Not enumerable: logs of errors do not contain the conversation. */
  declare readonly text: string;
  readonly usage: ReplyWithoutObject['usage'];

  constructor(agentId: string, { finishReason, text, usage }: ReplyWithoutObject, options: HalyardErrorOptions = {}) {
    const what = `Agent "${agentId}" did not produce an object`;
    super('failed', 'OBJECT_NOT_GENERATED', `${what} ${whyNoObject(finishReason)}`, options);
    this.finishReason = finishReason;
    this.usage = usage;
    Object.defineProperty(this, 'text', { value: text });
  }
}

function whyNoObject(finishReason: string): string {
  if (finishReason === 'content-filter')
    return 'because the model refused to answer, or its provider filtered the answer (content-filter)';
  if (finishReason === 'length') return 'because its answer was cut at the limit of tokens (length, maxOutputTokens)';
  return 'that fits the schema';
}

/** An input guardrail refused the input, or an output guardrail refused the reply of the model. */
export class GuardrailBlockedError extends HalyardError {
  constructor(direction: 'input' | 'output', guardrail: string, reason: string) {
    super(
      direction === 'input' ? 'invalid-input' : 'failed',
      direction === 'input' ? 'INPUT_BLOCKED' : 'OUTPUT_BLOCKED',
      `Guardrail "${guardrail}" blocked the ${direction}: ${reason}`,
    );
  }
}

/** A processor or guardrail of an agent threw an error, which is only in `cause`. */
export class ProcessorFailedError extends HalyardError {
  constructor(name: string, options: HalyardErrorOptions = {}) {
    super('failed', 'PROCESSOR_FAILED', `Processor "${name}" failed`, options);
  }
}

/**
 * A step of a workflow failed after all retries. The message names the step and includes the
 * message of a {@link HalyardError}. Messages of other errors are only in `cause`.
 */
export class StepFailedError extends HalyardError {
  /** The step as events name it: `approve:3` in a loop. */
  readonly stepId: string;
  /**
   * Why it failed: the code of a {@link HalyardError}, such as `STEP_TIMED_OUT`,
   * `SUSPENSION_TIMED_OUT` or `MODEL_FAILED`; `STEP_FAILED` for every other error. It is recorded,
   * and remains where `cause` does not: after a wait, and in another process.
   */
  readonly causeCode: string;

  /** @param options `message` and `causeCode`: those of the record. */
  constructor(
    stepId: string,
    options: HalyardErrorOptions & { readonly message?: string; readonly causeCode?: string | undefined } = {},
  ) {
    const { cause, message } = options;
    const known = isHalyardError(cause) && cause.kind !== 'internal' ? cause : undefined;
    const why = known === undefined ? '' : `: ${known.message}`;
    super('failed', stepFailed, message ?? `Step "${stepId}" failed${why}`, options);
    this.stepId = stepId;
    this.causeCode =
      options.causeCode ?? (known instanceof StepFailedError ? known.causeCode : known?.code) ?? stepFailed;
  }
}

const stepFailed = 'STEP_FAILED';

/** Nobody has resumed a suspended step within its time. */
export class SuspensionTimeoutError extends HalyardError {
  constructor(stepId: string) {
    super('failed', 'SUSPENSION_TIMED_OUT', `step "${stepId}" was not resumed in time`);
  }
}

/** The journal of an execution does not match the current steps of its workflow. */
export class DefinitionChangedError extends HalyardError {
  constructor(workflowId: string, where: string) {
    super('failed', 'DEFINITION_CHANGED', `Workflow "${workflowId}" has changed: ${where}`);
  }
}

/** The id is in use, or the resource is busy. */
export class ConflictError extends HalyardError {
  constructor(code: string, message: string) {
    super('conflict', code, message);
  }
}

/** The server is shutting down or overloaded, or the storage does not respond. */
export class UnavailableError extends HalyardError {
  constructor(code: string, message: string, options: HalyardErrorOptions = {}) {
    super('unavailable', code, message, options);
  }
}

/** There is no suspension to resume: the execution is not suspended, or another reply was first. */
export class NotSuspendedError extends HalyardError {
  constructor(executionId: string) {
    super('not-found', 'EXECUTION_NOT_SUSPENDED', `Execution is not suspended: ${executionId}`);
  }
}

/** The caller aborted the run. */
export class AbortedError extends HalyardError {
  constructor(options: HalyardErrorOptions = {}) {
    super('unavailable', 'ABORTED', 'The run was aborted', options);
  }
}

/** A person stopped the reply. */
export class StoppedError extends AbortedError {
  override readonly code: string = 'REPLY_STOPPED';
  override readonly message: string = 'The reply was stopped';
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
