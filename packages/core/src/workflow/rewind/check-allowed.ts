import { HalyardError } from '@halyard/contracts';
import type { UserOperations } from '../definition/user-operations.ts';
import type { WorkflowDefinition } from '../definition/workflow-definition.ts';
import type { Requester } from '../engine/runtime-options.ts';

/**
 * Checks that a requester may let steps run again.
 *
 * @throws HalyardError (`OPERATION_NOT_ALLOWED`) for a user, unless the workflow opens the
 * operation to users.
 */
export function checkAllowed(
  operation: keyof UserOperations,
  workflow: Pick<WorkflowDefinition, 'id' | 'users'> | undefined,
  requestedBy: Requester = 'operator',
): void {
  if (requestedBy === 'operator' || workflow?.users[operation] === true) return;
  const name = workflow === undefined ? 'This workflow' : `Workflow "${workflow.id}"`;
  throw new HalyardError(
    'forbidden',
    'OPERATION_NOT_ALLOWED',
    `${name} does not allow its users to ${operation} executions: an operator can, or its option \`users.${operation}\` allows it`,
  );
}
