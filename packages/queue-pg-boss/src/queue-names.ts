/** Where pg-boss puts what was given up. */
export const deadQueue = 'dead';

/** pg-boss has no colon in names, workflows have no slash in ids. */
export function hintQueue(workflowId: string): string {
  return `run/${workflowId.replaceAll(':', '/')}`;
}

export function tickQueue(workflowId: string): string {
  return `tick/${workflowId.replaceAll(':', '/')}`;
}
