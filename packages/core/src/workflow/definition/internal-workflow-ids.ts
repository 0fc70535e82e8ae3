import { approvalExpiryId } from '../../agent/approvals/expiring-request.ts';
import { bulkWorkflowId } from '../bulk/bulk-workflow-id.ts';
import { scheduleWorkflowId } from '../schedules/schedule-record.ts';

/**
 * The workflows of the framework itself. Lists leave their executions out unless they are asked for
 * by the id, and bulk operations do not change them.
 */
export const internalWorkflowIds: readonly string[] = [approvalExpiryId, bulkWorkflowId, scheduleWorkflowId];
