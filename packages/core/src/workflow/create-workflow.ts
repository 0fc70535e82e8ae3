import { checkOptionNames, checkRuntime, ConfigurationError, type OptionNames } from '@halyard/contracts';
import { longestTimerMs } from '../async/longest-timer.ts';
import { compileSchema, type CompiledSchema } from '../schema/compile-schema.ts';
import type { InferSchema, InferSchemaInput, Schema } from '../schema/schema.ts';
import { acceptAccess, type AccessLevel } from '../tool/access-level.ts';
import { type FlowControl, flowControlNames, acceptFlowControl } from './definition/flow-control.ts';
import type { StepRetries } from './definition/step.ts';
import { type UserOperations, acceptUserOperations } from './definition/user-operations.ts';
import { isPriority } from './definition/workflow-definition.ts';
import type { WorkflowHooks } from './definition/workflow-hooks.ts';
import { type AnyWorkflow, Workflow } from './workflow.ts';

// An id of dots only would change the path of a URL.
const workflowId = /^(?![.]+$)[A-Za-z0-9_.:-]{1,128}$/;

/**
 * Schemas may be TypeBox, JSON Schema or Standard Schema. All but `state` are enforced, and all
 * give their types to the steps.
 */
export interface WorkflowOptions<
  In extends Schema | undefined,
  Result extends Schema | undefined,
  Suspend extends Schema | undefined,
  Resume extends Schema | undefined,
  State extends Schema | undefined,
  Id extends string = string,
> extends FlowControl<TypeOf<In>> {
  /** `^[A-Za-z0-9_.:-]{1,128}$`, and not only dots; part of the workflow's URLs. */
  readonly id: Id;
  /** Default: the id. */
  readonly name?: string | undefined;
  /** The purpose of the workflow, in lists and documentation. */
  readonly purpose?: string | undefined;
  /**
   * The callers that may start it over HTTP, MCP and WebSockets. `operators`: only the console key
   * or the dev bypass. `server`: nobody; only code of the app, schedules and other workflows start
   * it. Default `users`: everyone who may call its routes.
   */
  readonly access?: AccessLevel | undefined;
  /** Schema of the input; default: any JSON. */
  readonly input?: In | undefined;
  /** Schema of the result. A result that does not fit ends the execution in `error`. */
  readonly result?: Result | undefined;
  /** Schema of what steps send when they suspend; a step can have its own. */
  readonly suspendSchema?: Suspend | undefined;
  /** Schema of the resume data; a step can have its own. */
  readonly resumeSchema?: Resume | undefined;
  /** Schema of the state that steps share. Used for its type only. */
  readonly state?: State | undefined;
  /** Defaults for the retries of each step. */
  readonly retries?: Partial<StepRetries> | undefined;
  /**
   * Time limit in milliseconds, from a start or resumption until the execution ends or waits. A
   * sub-workflow that exceeds it fails its step.
   */
  readonly timeoutMs?: number | undefined;
  readonly hooks?: WorkflowHooks | undefined;
  /**
   * How long each call of a hook is awaited, in milliseconds. Then the execution continues without
   * it, with a warning in the log. Default: 10 000.
   */
  readonly hookTimeoutMs?: number | undefined;
  /**
   * Waiting executions with the highest priority start first. An integer from -1000 to 1000;
   * default 0.
   */
  readonly priority?: number | undefined;
  /**
   * Operations that users may apply to their own executions besides resuming and cancelling them.
   * Default: none.
   */
  readonly users?: UserOperations | undefined;
  /**
   * Earlier definitions with the same id. Executions that started with one of them are run with it,
   * as long as it is listed here.
   */
  readonly versions?: readonly AnyWorkflow[] | undefined;
  /**
   * Earlier definitions with the same id whose executions continue with this one. An execution
   * whose recorded steps do not fit is suspended, with the difference as the reason.
   */
  readonly replaces?: readonly AnyWorkflow[] | undefined;
}

type AnySchema = Schema | undefined;

const optionNames: OptionNames<WorkflowOptions<AnySchema, AnySchema, AnySchema, AnySchema, AnySchema>> = {
  ...flowControlNames,
  access: true,
  hookTimeoutMs: true,
  hooks: true,
  id: true,
  input: true,
  name: true,
  priority: true,
  purpose: true,
  result: true,
  resumeSchema: true,
  retries: true,
  replaces: true,
  state: true,
  suspendSchema: true,
  timeoutMs: true,
  users: true,
  versions: true,
};
/** Names of other frameworks. */
const foreignNames = { inputSchema: 'input', outputSchema: 'result', stateSchema: 'state' } as const;

type TypeOf<S extends Schema | undefined> = S extends Schema ? InferSchema<S> : unknown;
type InputOf<S extends Schema | undefined> = S extends Schema ? InferSchemaInput<S> : unknown;
type StateOf<S extends Schema | undefined> = S extends Schema
  ? InferSchema<S> extends object
    ? InferSchema<S>
    : Record<string, unknown>
  : Record<string, unknown>;

/**
 * Creates a workflow without steps. Add steps with `.andThen(…)` and the other `and…` methods.
 *
 * @throws ConfigurationError for an unknown option, and an invalid id, priority or schema.
 */
export function createWorkflow<
  In extends Schema | undefined = undefined,
  Result extends Schema | undefined = undefined,
  Suspend extends Schema | undefined = undefined,
  Resume extends Schema | undefined = undefined,
  State extends Schema | undefined = undefined,
  Id extends string = string,
>(
  options: WorkflowOptions<In, Result, Suspend, Resume, State, Id>,
): Workflow<
  InputOf<In>,
  TypeOf<In>,
  {
    id: Id;
    input: TypeOf<In>;
    state: StateOf<State>;
    resume: TypeOf<Resume>;
    suspend: InputOf<Suspend>;
    result: InputOf<Result>;
    parsedResult: TypeOf<Result>;
  }
> {
  checkRuntime();
  checkOptionNames(`Workflow "${options.id}"`, options, optionNames, foreignNames);
  const { hooks = {}, hookTimeoutMs, id, name = id, priority = 0, purpose = '', retries = {}, timeoutMs } = options;
  const { replaces = [], versions = [] } = options;
  if (!workflowId.test(id)) throw new ConfigurationError(`Workflow id "${id}" must match ${workflowId.source}`);
  if (!isPriority(priority))
    throw new ConfigurationError(`The priority of workflow "${id}" must be a whole number, -1000 to 1000: ${priority}`);
  if (
    hookTimeoutMs !== undefined &&
    !(Number.isInteger(hookTimeoutMs) && hookTimeoutMs > 0 && hookTimeoutMs <= longestTimerMs)
  )
    throw new ConfigurationError(
      `hookTimeoutMs of workflow "${id}" must be a whole number, 1 to ${longestTimerMs}: ${hookTimeoutMs}`,
    );
  for (const earlier of [...versions, ...replaces])
    if (earlier.id !== id)
      throw new ConfigurationError(`Workflow "${id}" can have earlier versions with this id only, not "${earlier.id}"`);
  const compile = (schema: Schema | undefined, what: string): CompiledSchema<unknown> | undefined =>
    schema === undefined ? undefined : compileSchema(schema, `the ${what} of workflow "${id}"`);
  return new Workflow({
    id,
    access: acceptAccess(`workflow "${id}"`, options.access),
    name,
    purpose,
    steps: [],
    input: compile(options.input, 'input'),
    result: compile(options.result, 'result'),
    suspendSchema: compile(options.suspendSchema, 'suspendSchema'),
    resumeSchema: compile(options.resumeSchema, 'resumeSchema'),
    retries,
    timeoutMs,
    hooks,
    hookTimeoutMs,
    priority,
    flowControl: acceptFlowControl(id, options),
    users: acceptUserOperations(id, options.users),
    schedules: [],
    versions,
    replaces,
  });
}
