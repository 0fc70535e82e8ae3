import {
  ConfigurationError,
  type CreateOptions,
  HalyardError,
  InvalidInputError,
  isHalyardError,
  type JsonObject,
  type JsonValue,
  type OptionNames,
} from '@halyard/contracts';
import { copyJson } from '../../json/to-json.ts';

/** How executions of a workflow are limited, in all processes together. */
export interface FlowControl<In = unknown> {
  /** How many executions run at the same time, for each key. Default: unlimited. */
  readonly concurrency?: ConcurrencyOptions<In> | undefined;
  /**
   * How many executions start within a period, for each key. Further ones start later. Default:
   * unlimited.
   */
  readonly throttle?: ThrottleOptions<In> | undefined;
  /** At most one execution for each key that has not ended. Default: any number. */
  readonly singleton?: SingletonOptions<In> | undefined;
  /**
   * Starts with the same key that follow each other closely run once, with the last input. Default:
   * each start runs.
   */
  readonly debounce?: DebounceOptions<In> | undefined;
}

/** A method, so that a workflow with any input is a workflow of unknown input. */
interface KeyFunction<In> {
  key(start: {
    readonly input: In;
    readonly context: Readonly<Record<string, unknown>>;
    /** The verified user, if the server checks who calls it. */
    readonly userId: string | undefined;
  }): string;
}

interface KeyOptions<In> {
  /**
   * Executions with the same key count together: return the tenant, or the document that is
   * changed. Called once for each start. A string of at most 256 characters; another value, or an
   * error, refuses the start (`START_KEY_FAILED`). Default: all executions of the workflow count
   * together. Clients choose `input` and `context`: include `userId` if users must not affect each
   * other.
   */
  readonly key?: KeyFunction<In>['key'] | undefined;
}

export interface ConcurrencyOptions<In = unknown> extends KeyOptions<In> {
  /** 1 to 10 000. Executions beyond it wait. Those that sleep or are suspended do not count. */
  readonly limit: number;
}

export interface ThrottleOptions<In = unknown> extends KeyOptions<In> {
  /** 1 to 10 000 starts. */
  readonly limit: number;
  /** Within any span of so many milliseconds. */
  readonly periodMs: number;
}

export interface SingletonOptions<In = unknown> extends KeyOptions<In> {
  /**
   * `skip`: a start is refused (`EXECUTION_SKIPPED`) while another execution has not ended.
   * `cancel-running`: it cancels the others. It does not wait until they have ended.
   */
  readonly onBusy: 'skip' | 'cancel-running';
}

export interface DebounceOptions<In = unknown> extends KeyOptions<In> {
  /** How long an execution waits for later starts. The next start cancels it and waits instead. */
  readonly delayMs: number;
  /** The longest time from the first start until one runs. Default: unlimited. */
  readonly maxDelayMs?: number | undefined;
}

export const flowControlNames: OptionNames<FlowControl> = {
  concurrency: true,
  debounce: true,
  singleton: true,
  throttle: true,
};

const largestLimit = 10_000;
const longestKey = 256;
/** 30 days. */
const longestTimeMs = 2_592_000_000;

/**
 * The flow control among the options of a workflow. @throws ConfigurationError for a value out of
 * range.
 */
export function acceptFlowControl<In>(workflowId: string, options: FlowControl<In>): FlowControl<In> {
  const { concurrency, debounce, singleton, throttle } = options;
  const checkNumber = (name: string, value: number, most: number): void => {
    if (Number.isInteger(value) && value >= 1 && value <= most) return;
    throw new ConfigurationError(
      `\`${name}\` of workflow "${workflowId}" must be a whole number, 1 to ${most}: ${value}`,
    );
  };
  if (concurrency !== undefined) {
    checkNumber('concurrency.limit', concurrency.limit, largestLimit);
  }
  if (throttle !== undefined) {
    checkNumber('throttle.limit', throttle.limit, largestLimit);
    checkNumber('throttle.periodMs', throttle.periodMs, longestTimeMs);
  }
  if (singleton !== undefined) {
    if (!['skip', 'cancel-running'].includes(singleton.onBusy))
      throw new ConfigurationError(
        `\`singleton.onBusy\` of workflow "${workflowId}" must be "skip" or "cancel-running": ${singleton.onBusy}`,
      );
  }
  if (debounce !== undefined) {
    checkNumber('debounce.delayMs', debounce.delayMs, longestTimeMs);
    if (debounce.maxDelayMs !== undefined) checkNumber('debounce.maxDelayMs', debounce.maxDelayMs, longestTimeMs);
    if (throttle !== undefined || singleton !== undefined)
      throw new ConfigurationError(
        `Workflow "${workflowId}" has \`debounce\` and \`${throttle === undefined ? 'singleton' : 'throttle'}\`: use one of them`,
      );
  }
  return {
    ...(concurrency && { concurrency }),
    ...(throttle && { throttle }),
    ...(singleton && { singleton }),
    ...(debounce && { debounce }),
  };
}

/** The start from which a key is computed. */
export interface FlowStart {
  readonly input: JsonValue;
  readonly context: JsonObject;
  readonly userId: string | undefined;
}

interface ControlledWorkflow {
  readonly id: string;
  readonly priority: number;
  readonly flowControl: FlowControl;
}

/**
 * The order in which an execution runs.
 *
 * @throws HalyardError `START_KEY_FAILED` when its key cannot be computed; InvalidInputError when
 * it is too long; the key function's own errors for clients.
 */
export function runOrder(
  { flowControl: { concurrency }, id, priority }: ControlledWorkflow,
  start: FlowStart,
  chosenPriority: number = priority,
): Pick<CreateOptions, 'concurrency'> & { readonly priority: number } {
  if (concurrency === undefined) return { priority: chosenPriority };
  const key = toKey(id, 'concurrency', concurrency, start);
  return { priority: chosenPriority, concurrency: { key, limit: concurrency.limit } };
}

/**
 * The rules for the start of an execution.
 *
 * @param isContinuation it continues another one, which has not ended yet: it starts in any case.
 * @throws like {@link runOrder}
 */
export function startRules(
  { flowControl: { debounce, singleton, throttle }, id }: ControlledWorkflow,
  start: FlowStart,
  isContinuation: boolean,
): Pick<CreateOptions, 'debounce' | 'singleton' | 'throttle'> {
  const busyRule = isContinuation ? 'cancel-running' : singleton?.onBusy;
  return {
    ...(busyRule && singleton && { singleton: { key: toKey(id, 'singleton', singleton, start), onBusy: busyRule } }),
    ...(throttle &&
      !isContinuation && {
        throttle: {
          key: toKey(id, 'throttle', throttle, start),
          limit: throttle.limit,
          periodMs: throttle.periodMs,
        },
      }),
    ...(debounce &&
      !isContinuation && {
        debounce: {
          key: toKey(id, 'debounce', debounce, start),
          delayMs: debounce.delayMs,
          ...(debounce.maxDelayMs !== undefined && { maxDelayMs: debounce.maxDelayMs }),
        },
      }),
  };
}

/** Whether a start cancels earlier executions. */
export function supersedes({ debounce, singleton }: FlowControl): boolean {
  return debounce !== undefined || singleton?.onBusy === 'cancel-running';
}

/** Unique among all workflows: their ids contain no space. */
function toKey(
  workflowId: string,
  rule: keyof FlowControl,
  options: KeyOptions<unknown>,
  { context, input, userId }: FlowStart,
): string {
  if (options.key === undefined) return `${workflowId} `;
  const what = `The ${rule} key of workflow "${workflowId}"`;
  let key: unknown;
  try {
    key = options.key({ input: copyJson(input), context: copyJson(context), userId });
  } catch (error) {
    if (isHalyardError(error)) throw error;
    throw keyFailed(`${what} cannot be computed: its function threw an error`, error);
  }
  if (typeof key !== 'string') throw keyFailed(`${what} must be a string, not ${key === null ? 'null' : typeof key}`);
  if (key.length > longestKey) throw new InvalidInputError(`${what} has more than ${longestKey} characters`);
  return `${workflowId} ${key}`;
}

/** A fault of the app, which the caller of the start may read. */
function keyFailed(message: string, cause?: unknown): HalyardError {
  return new HalyardError('failed', 'START_KEY_FAILED', message, cause === undefined ? {} : { cause });
}
