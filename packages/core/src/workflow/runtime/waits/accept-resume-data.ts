import { InvalidInputError, type JsonValue, type Suspension } from '@halyard/contracts';
import { toJson } from '../../../json/to-json.ts';
import { compileSchema, type CompiledSchema } from '../../../schema/compile-schema.ts';
import type { AnyStep } from '../../definition/step.ts';
import type { WorkflowDefinition } from '../../definition/workflow-definition.ts';

/** The answer to a tool call that needs approval. */
const approvalAnswer = compileSchema(
  {
    type: 'object',
    properties: { approved: { type: 'boolean' }, reason: { type: 'string' } },
    required: ['approved'],
  },
  'the answer to an approval',
);

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
  const schema = schemaOf(kind, step, workflow);
  if (schema === undefined) return data;
  const result = await schema.validate(data, at);
  if (!result.ok) throw new InvalidInputError(result.message);
  return result.value === data ? data : toJson(result.value);
}

function schemaOf(
  kind: Suspension['kind'],
  step: AnyStep | undefined,
  workflow: WorkflowDefinition | undefined,
): CompiledSchema<unknown> | undefined {
  if (kind === 'approval') return approvalAnswer;
  // The answer to a wait for an event is a payload.
  return kind === 'event' ? step?.resumeSchema : (step?.resumeSchema ?? workflow?.resumeSchema);
}
