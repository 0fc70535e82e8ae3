import { type Execution, InvalidInputError, type JsonValue, type Suspension } from '@halyard/contracts';
import { toJson } from '../../../json/to-json.ts';
import type { CompiledSchema } from '../../../schema/compile-schema.ts';
import { findStep } from '../../definition/step-index.ts';
import type { WorkflowDefinition } from '../../definition/workflow-definition.ts';
import { resumeSchemaForExecution, resumeSchemaForStep } from './resume-schema.ts';

/**
 * Parses the resume data of a suspension of an execution, which may be in one of its sub-workflows,
 * with the schema of {@link resumeSchemaForExecution}. The data after a suspension from outside may
 * be meant for the step where the execution stopped.
 *
 * @param workflow with which the root execution runs.
 * @throws InvalidInputError naming the field; its path starts with `at`.
 */
export async function acceptResumeData(
  root: Pick<Execution, 'id' | 'path'>,
  workflow: WorkflowDefinition | undefined,
  suspension: Suspension,
  data: JsonValue,
  at: string,
): Promise<JsonValue> {
  const { executionId, kind, path } = suspension;
  if (kind === 'request' && data === null) return data;
  const schema = resumeSchemaForExecution(root, workflow, {
    executionId,
    path,
    kind: kind === 'request' ? 'step' : kind,
  });
  return parse(schema, data, at);
}

/**
 * Parses the data for a step that runs again with its `resumeSchema`, else that of its workflow.
 *
 * @throws InvalidInputError naming the field; its path starts with `at`.
 */
export async function acceptStepResumeData(
  workflow: WorkflowDefinition | undefined,
  stepId: string,
  data: JsonValue,
  at: string,
): Promise<JsonValue> {
  const step = workflow && findStep(workflow.index, stepId)?.step;
  return parse(resumeSchemaForStep('step', step, workflow), data, at);
}

async function parse(schema: CompiledSchema<unknown> | undefined, data: JsonValue, at: string): Promise<JsonValue> {
  if (schema === undefined) return data;
  const result = await schema.validate(data, at);
  if (!result.ok) throw new InvalidInputError(result.message);
  return result.value === data ? data : toJson(result.value);
}
