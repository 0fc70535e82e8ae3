import { ConfigurationError } from '@halyard/contracts';
import { compileSchema, type CompiledSchema } from '../schema/compile-schema.ts';
import type { InferSchema, InferSchemaInput, Schema } from '../schema/schema.ts';
import type { StepRetries } from './definition/step.ts';
import { isPriority } from './definition/workflow-definition.ts';
import type { WorkflowHooks } from './definition/workflow-hooks.ts';
import { Workflow } from './workflow.ts';

const workflowId = /^[A-Za-z0-9_.:-]{1,128}$/;

/** Schemas: TypeBox, JSON Schema or Standard Schema. All are enforced, and give their types to the steps. */
export interface WorkflowOptions<
  In extends Schema | undefined,
  Result extends Schema | undefined,
  Suspend extends Schema | undefined,
  Resume extends Schema | undefined,
  State extends Schema | undefined,
> {
  /** `^[A-Za-z0-9_.:-]{1,128}$`; part of every URL of the workflow. */
  readonly id: string;
  /** Default: the id. */
  readonly name?: string;
  /** What the workflow is for; shown to people. */
  readonly purpose?: string;
  /** What it is started with; default: JSON of any kind. */
  readonly input?: In;
  /** What it gives; a result that does not fit ends the run in `error`. */
  readonly result?: Result;
  /** What steps tell whoever resumes them, unless they say otherwise. */
  readonly suspendSchema?: Suspend;
  /** What steps are resumed with, unless they say otherwise. */
  readonly resumeSchema?: Resume;
  /** The state that steps share: for its type. */
  readonly state?: State;
  /** For steps that say nothing of their own. */
  readonly retries?: Partial<StepRetries>;
  /** Between a start or resumption and the next rest, in milliseconds. Where it is a sub-workflow, its step fails when they are over. */
  readonly timeoutMs?: number;
  readonly hooks?: WorkflowHooks;
  /** Of executions that wait for a place, the highest begins first: whole, -1000 to 1000; default 0. */
  readonly priority?: number;
}

type TypeOf<S extends Schema | undefined> = S extends Schema ? InferSchema<S> : unknown;
type InputOf<S extends Schema | undefined> = S extends Schema ? InferSchemaInput<S> : unknown;
type StateOf<S extends Schema | undefined> = S extends Schema
  ? InferSchema<S> extends object
    ? InferSchema<S>
    : Record<string, unknown>
  : Record<string, unknown>;

/**
 * Begins a workflow; its steps follow by `.andThen(…)` and its siblings.
 *
 * @throws ConfigurationError for an id or a schema that cannot be.
 */
export function createWorkflow<
  In extends Schema | undefined = undefined,
  Result extends Schema | undefined = undefined,
  Suspend extends Schema | undefined = undefined,
  Resume extends Schema | undefined = undefined,
  State extends Schema | undefined = undefined,
>(
  options: WorkflowOptions<In, Result, Suspend, Resume, State>,
): Workflow<
  InputOf<In>,
  TypeOf<In>,
  { input: TypeOf<In>; state: StateOf<State>; resume: TypeOf<Resume>; suspend: TypeOf<Suspend> }
> {
  const { hooks = {}, id, name = id, priority = 0, purpose = '', retries = {}, timeoutMs } = options;
  if (!workflowId.test(id)) throw new ConfigurationError(`Workflow id "${id}" must match ${workflowId.source}`);
  if (!isPriority(priority))
    throw new ConfigurationError(`The priority of workflow "${id}" must be a whole number, -1000 to 1000: ${priority}`);
  const compile = (schema: Schema | undefined, what: string): CompiledSchema<unknown> | undefined =>
    schema === undefined ? undefined : compileSchema(schema, `the ${what} of workflow "${id}"`);
  return new Workflow({
    id,
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
    priority,
    schedules: [],
  });
}
