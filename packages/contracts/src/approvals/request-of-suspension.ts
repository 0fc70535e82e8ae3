import type { Suspension } from '../executions/execution.ts';

/**
 * The id of the request that a suspension is, as in the list of approvals: a tool call is named by
 * its approval, as in a chat.
 */
export function requestIdOf({ data, id, kind }: Pick<Suspension, 'data' | 'id' | 'kind'>): string {
  if (kind !== 'approval' || typeof data !== 'object' || data === null || Array.isArray(data)) return id;
  const { approvalId } = data as { readonly approvalId?: unknown };
  return typeof approvalId === 'string' ? approvalId : id;
}

/** Whether a person has to respond: an event resumes by itself, and a suspension from outside asks nobody. */
export function asksPeople({ kind }: Pick<Suspension, 'kind'>): boolean {
  return kind === 'step' || kind === 'approval';
}
