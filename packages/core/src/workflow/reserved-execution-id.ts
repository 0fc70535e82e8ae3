import { InvalidInputError } from '@halyard/contracts';
import { isBulkId } from './bulk/bulk-id.ts';
import type { WorkflowDefinition } from './definition/workflow-definition.ts';
import { isIdOfTick } from './definition/workflow-schedule.ts';

type Workflow = Pick<WorkflowDefinition, 'access' | 'id' | 'isInternal'>;

/**
 * Whether a request for an execution of a workflow may not choose this id, because the app or the
 * runtime may give it to another execution: of a schedule, of a bulk operation, or of a workflow
 * that users may not start. Anyone can compute such an id in advance, and taking it would prevent
 * that execution.
 *
 * @param workflowId of the workflow that the request starts.
 */
export function isReservedExecutionId(id: string, workflows: readonly Workflow[], workflowId: string): boolean {
  if (isBulkId(id) || workflows.some((workflow) => isIdOfTick(id, { workflowId: workflow.id }))) return true;
  const owner = workflowOfId(id, workflows);
  return owner !== undefined && owner.access !== 'users' && owner.id !== workflowId;
}

/**
 * Only ids that no user can take may be chosen for executions of a workflow that users may not
 * start.
 *
 * @throws InvalidInputError for another id.
 */
export function acceptExecutionId(id: string, workflow: Workflow, workflows: readonly Workflow[]): void {
  if (workflow.access === 'users' || workflow.isInternal === true || isIdOfTick(id, { workflowId: workflow.id }))
    return;
  if (workflowOfId(id, workflows)?.id === workflow.id) return;
  const prefixes = separators.map((separator) => `"${workflow.id}${separator}"`).join(', ');
  throw new InvalidInputError(
    `executionId must begin with one of ${prefixes}, and not with the id of another workflow: workflow "${workflow.id}" has \`access: '${workflow.access}'\`, and users could take other ids before`,
  );
}

const separators = ['-', ':', '.', '_'] as const;

/**
 * The workflow to which an id belongs by its form: the one with the longest id that it begins with.
 */
function workflowOfId(id: string, workflows: readonly Workflow[]): Workflow | undefined {
  return workflows
    .filter((workflow) => separators.some((separator) => id.startsWith(`${workflow.id}${separator}`)))
    .toSorted((one, other) => other.id.length - one.id.length)[0];
}
