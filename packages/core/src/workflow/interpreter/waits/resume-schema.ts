import type { Suspension } from '@halyard/contracts';
import { compileSchema, type CompiledSchema } from '../../../schema/compile-schema.ts';
import { ownPlace } from '../../definition/place.ts';
import { stepAtPath } from '../../definition/step-at-path.ts';
import type { AnyStep } from '../../definition/step.ts';
import type { WorkflowDefinition } from '../../definition/workflow-definition.ts';

/** The answer to a tool call that needs approval. */
const approvalResponse = compileSchema(
  {
    type: 'object',
    properties: { approved: { type: 'boolean' }, reason: { type: 'string' }, input: {} },
    required: ['approved'],
  },
  'the answer to an approval',
);

/**
 * The schema of the answer to a suspension of a step: that of the step, else that of its workflow.
 * Undefined: any JSON.
 */
export function resumeSchemaForStep(
  kind: Suspension['kind'],
  step: AnyStep | undefined,
  workflow: WorkflowDefinition | undefined,
): CompiledSchema<unknown> | undefined {
  if (kind === 'approval') return approvalResponse;
  // The answer to a wait for an event is a payload.
  return kind === 'event' ? step?.resumeSchema : (step?.resumeSchema ?? workflow?.resumeSchema);
}

/**
 * The schema of the answer to a suspension of an execution, which may be in one of its
 * sub-workflows. Undefined: any JSON, or none.
 *
 * @param workflow of the execution; undefined if it is no longer registered.
 */
export function resumeSchemaForExecution(
  execution: { readonly id: string; readonly path: string },
  workflow: WorkflowDefinition | undefined,
  { executionId, kind, path }: Pick<Suspension, 'executionId' | 'kind' | 'path'>,
): CompiledSchema<unknown> | undefined {
  if (kind === 'request') return undefined;
  const place = workflow && stepAtPath(workflow, ownPlace(path, execution.path));
  const isInside = executionId !== execution.id;
  const around = place && isInside ? workflow && stepAtPath(workflow, place.executionPath)?.step.workflow : workflow;
  return resumeSchemaForStep(kind, place?.step, isInside && place === undefined ? undefined : around);
}
