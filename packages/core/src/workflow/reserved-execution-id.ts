import { isBulkId } from './bulk/bulk-id.ts';
import type { WorkflowDefinition } from './definition/workflow-definition.ts';
import { isIdOfTick } from './definition/workflow-schedule.ts';

/**
 * Whether the runtime may give this id to an execution: of a schedule of one of the workflows, or of a bulk operation. Anyone can compute such an id in advance, and whoever took it would
 * prevent that execution. So requests may not choose it.
 */
export function isReservedExecutionId(id: string, workflows: readonly Pick<WorkflowDefinition, 'id'>[]): boolean {
  return isBulkId(id) || workflows.some((workflow) => isIdOfTick(id, workflow.id));
}
