/** The id of the workflow that carries bulk operations out. Only the runtime starts it. */
export const bulkWorkflowId = 'halyard:bulk';
