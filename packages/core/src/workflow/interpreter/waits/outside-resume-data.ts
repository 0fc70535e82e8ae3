import type { Resumption } from '@halyard/contracts';
import { toJson } from '../../../json/to-json.ts';
import type { StepRun } from '../step/step-run.ts';
import { resumeSchemaForStep } from './resume-schema.ts';
import { outsidePath } from './waits.ts';

/**
 * The resume data after a suspension from outside, for the first step that runs after it. Undefined
 * if another step has it, and if it does not fit the `resumeSchema` of this one: it was checked
 * with that of the step where the execution stopped.
 */
export async function takeOutsideResumeData({
  execution,
  executionRun,
  logger,
  path,
  step,
}: StepRun): Promise<Resumption | undefined> {
  const { waits } = executionRun;
  const answer = waits.takeOutsideResumption(path);
  if (answer === undefined || answer.data === null || answer.path === outsidePath(path)) return answer;
  const schema = resumeSchemaForStep('step', step, execution.workflow);
  if (schema === undefined) return answer;
  const result = await schema.validate(answer.data, 'resumeData');
  if (result.ok) return { ...answer, data: result.value === answer.data ? answer.data : toJson(result.value) };
  waits.returnOutsideResumption();
  logger.warn({ reason: result.message }, 'data sent to resume the execution does not fit the step that runs next');
  return undefined;
}
