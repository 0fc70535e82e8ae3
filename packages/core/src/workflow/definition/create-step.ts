import { ConfigurationError } from '@halyard/contracts';
import { compileSchema, type CompiledSchema } from '../../schema/compile-schema.ts';
import type { Schema } from '../../schema/schema.ts';
import { checkInnerSteps, checkStepOptions, hasNoId } from './check-step-options.ts';
import type { Flow } from './step-context.ts';
import type { AnyStep, BodyOptions, Step, StepOptions, StepType } from './step.ts';

const stepId = /^[A-Za-z0-9_.-]{1,64}$/;

/**
 * The definition of a kind of step: its function, and the steps, agent or workflow inside it, or
 * the event that it waits for.
 */
export type StepKind = Pick<AnyStep, 'run'> &
  Partial<
    Pick<
      AnyStep,
      'agent' | 'compensate' | 'event' | 'resumeSchema' | 'starts' | 'steps' | 'roles' | 'workflow' | 'outputOnError'
    >
  >;

/**
 * Creates a step: one node in the tree of a workflow. A step without an id is refused by its
 * workflow, which knows the place of the step.
 *
 * @throws ConfigurationError for an unknown or missing option, an invalid id or schema, or for
 * `steps` without a step.
 */
export function createStep<In, Out, F extends Flow, Outputs extends object = {}>(
  type: StepType,
  options: StepOptions & BodyOptions,
  { agent, compensate, event, outputOnError, resumeSchema: ofKind, roles, run, starts, steps, workflow }: StepKind,
): Step<In, Out, F, Outputs> {
  checkStepOptions(type, options);
  const { id, input, name = id, output, purpose = '', resumeSchema, retries = {}, suspendSchema, timeoutMs } = options;
  if (!hasNoId(options) && !stepId.test(id))
    throw new ConfigurationError(`Step id "${id}" must match ${stepId.source}`);
  if (steps !== undefined) checkInnerSteps(type, id, steps);
  const compile = (schema: Schema | undefined, what: string): CompiledSchema<unknown> | undefined =>
    schema === undefined ? undefined : compileSchema(schema, `the ${what} of step "${id}"`);
  return Object.freeze({
    id,
    name,
    type,
    purpose,
    input: compile(input, 'input'),
    output: compile(output, 'output'),
    suspendSchema: compile(suspendSchema, 'suspendSchema'),
    resumeSchema: ofKind ?? compile(resumeSchema, 'resumeSchema'),
    retries,
    timeoutMs,
    steps: steps ?? [],
    ...(roles !== undefined && { roles }),
    ...(workflow !== undefined && { workflow }),
    ...(starts !== undefined && { starts }),
    ...(agent !== undefined && { agent }),
    ...(event !== undefined && { event }),
    run,
    ...(compensate !== undefined && { compensate }),
    ...(outputOnError !== undefined && { outputOnError }),
  });
}
