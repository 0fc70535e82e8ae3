import { InvalidInputError, type JsonValue, type Suspension } from '@halyard/contracts';
import { toJson } from '../../../json/to-json.ts';
import type { WorkflowDefinition } from '../../definition/workflow-definition.ts';
import { schemaOfAnswer } from './answer-schema.ts';

/**
 * Parses an answer with the `resumeSchema` of the step, else that of its workflow. A suspension from outside needs no answer.
 *
 * @throws InvalidInputError naming the field; its path starts with `at`.
 */
export async function acceptResumeData(
  workflow: WorkflowDefinition | undefined,
  { kind, stepId }: Pick<Suspension, 'kind' | 'stepId'>,
  data: JsonValue,
  at: string,
): Promise<JsonValue> {
  if (kind === 'request' && data === null) return data;
  const step = workflow?.index.get(stepId.split(':', 1)[0] ?? '')?.step;
  const schema = schemaOfAnswer(kind, step, workflow);
  if (schema === undefined) return data;
  const result = await schema.validate(data, at);
  if (!result.ok) throw new InvalidInputError(result.message);
  return result.value === data ? data : toJson(result.value);
}
